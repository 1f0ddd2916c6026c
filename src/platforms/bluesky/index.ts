import type { Platform } from '../platform.ts';
import { unending } from '../app/versions.ts';
import { TABLES } from './errors.ts';
import { comments } from './inbox/comments.ts';
import { connect } from './accounts/connect.ts';
import { inbox } from './inbox/inbox.ts';
import { limits } from './accounts/limits.ts';
import { mentions } from './inbox/mentions.ts';
import { messages } from './inbox/messages.ts';
import { publish, remove } from './posts/publish.ts';
import { list, metrics } from './posts/reads.ts';
import { check, rules } from './posts/rules.ts';
import { POST_URI } from './records.ts';
import { settings } from './accounts/settings.ts';

const CHAT = 'did:web:api.bsky.chat';

/** Bluesky over the AT Protocol, with app passwords and writes that are safe to repeat. */
export const bluesky = Object.freeze<Platform>({
  slug: 'bluesky',
  title: 'Bluesky',
  errors: { '': TABLES.network, chat: TABLES.chat },
  settings,
  versions: [unending('AT Protocol', 'without one', 'https://docs.bsky.app/blog')],
  hosts: {
    real: {
      service: 'https://bsky.social',
      plc: 'https://plc.directory',
      web: 'https://bsky.app',
      // Not a URL but the service identity to which a PDS forwards chat calls.
      chat: CHAT,
    },
    sandbox: ({ api, web }) => ({ service: api, plc: `${api}/plc`, web, chat: CHAT }),
  },
  connect,
  ids: { post: POST_URI, comment: POST_URI },
  posts: { rules, check, publish, remove, list, metrics, syncDepth: 25 },
  comments,
  messages,
  mentions,
  inbox,
  limits,
  verification: { seenBy: 'everybody, until it is removed' },
});
