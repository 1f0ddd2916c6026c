import type { Platform } from '../platform.ts';
import { table } from './errors.ts';
import { comments } from './inbox/comments.ts';
import { connect } from './accounts/connect.ts';
import { inbox } from './inbox/history.ts';
import { mentions } from './inbox/mentions.ts';
import { messages } from './inbox/messages.ts';
import { pages } from './accounts/pages.ts';
import { irremovable, publish, remove } from './posts/publish.ts';
import { push } from './push/push.ts';
import { isSame, list, metrics } from './posts/reads.ts';
import { check, rules } from './posts/rules.ts';
import { GRAPH, GRAPH_ID } from '../graph/api.ts';

export const facebook = Object.freeze<Platform>({
  slug: 'facebook',
  title: 'Facebook',
  versions: [GRAPH],
  sharedPrefix: true,
  errors: { '': table },
  pages,
  hosts: {
    real: {
      graph: 'https://graph.facebook.com',
      video: 'https://graph-video.facebook.com',
      rupload: 'https://rupload.facebook.com',
      web: 'https://www.facebook.com',
    },
    sandbox: ({ api, web }) => ({
      graph: `${api}/graph`,
      video: `${api}/graph-video`,
      rupload: `${api}/rupload`,
      web: `${web}/www`,
    }),
  },
  connect,
  ids: { post: GRAPH_ID, comment: GRAPH_ID },
  posts: { rules, check, publish, remove, irremovable, list, isSame, metrics, syncDepth: 500 },
  comments,
  messages,
  mentions,
  push,
  inbox,
  verification: {
    seenBy: 'nobody but those who manage the page',
    stopsBefore: 'publish',
    without: {
      read: 'lists hold what is published, and this is a draft',
      permalink: 'a draft has no page',
      comment: 'nobody comments on a draft',
      metrics: 'a draft is not counted',
    },
  },
});
