import type { Platform } from '../platform.ts';
import { deprecated, unending } from '../app/versions.ts';
import { quotas, READS } from './api.ts';
import { connect } from './connect.ts';
import { table } from './errors.ts';
import { inbox } from './inbox.ts';
import { messages } from './messages.ts';
import { posts } from './posts.ts';
import { push } from './push.ts';
import { comments, mentions } from './replies.ts';

const CHANGES = 'https://docs.x.com/changelog';

export const twitter = Object.freeze<Platform>({
  slug: 'twitter',
  title: 'X',
  errors: { '': table },
  settings: [READS],
  versions: [
    unending('X API', '2', CHANGES, '410'),
    deprecated('X API', '`tweet.fields`, `referenced_tweets` and the other names from before `post`', '2', CHANGES),
    deprecated('X API', 'messages that are not encrypted (`dm_events`, `dm.received`)', '2', CHANGES),
  ],
  hosts: {
    real: { api: 'https://api.x.com', web: 'https://x.com' },
    sandbox: ({ api, web }) => ({ api: `${api}/api`, web: `${web}/www` }),
  },
  connect,
  ids: { post: /^\d{1,30}$/, comment: /^\d{1,30}$/ },
  posts,
  comments,
  mentions,
  messages,
  push,
  inbox,
  quotas,
  verification: { seenBy: 'everybody, until it is removed', post: { options: { reply_settings: 'mentionedUsers' } } },
});
