import type { Platform } from '../platform.ts';
import { comments } from './comments.ts';
import { connect } from './connect.ts';
import { inbox } from './inbox.ts';
import { limits } from './limits.ts';
import { mentions } from './mentions.ts';
import { messages } from './messages.ts';
import { publish, remove } from './posts.ts';
import { list, metrics } from './reads.ts';
import { check, rules } from './rules.ts';
import { settings } from './settings.ts';

const CHAT = 'did:web:api.bsky.chat';

/** Bluesky over the AT Protocol: app passwords and repeatable writes. */
export const bluesky = Object.freeze<Platform>({
  slug: 'bluesky',
  title: 'Bluesky',
  settings,
  hosts: {
    real: {
      service: 'https://bsky.social',
      plc: 'https://plc.directory',
      web: 'https://bsky.app',
      // Not a URL: the service identity that a PDS proxies chat calls to.
      chat: CHAT,
    },
    sandbox: ({ api, web }) => ({ service: api, plc: `${api}/plc`, web, chat: CHAT }),
  },
  connect,
  posts: { rules, check, publish, remove, list, metrics, syncDepth: 25 },
  comments,
  messages,
  mentions,
  inbox,
  limits,
});
