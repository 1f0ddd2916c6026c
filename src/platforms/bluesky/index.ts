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

/** Bluesky, by the AT Protocol: app passwords, and writes that can be repeated. */
export const bluesky = Object.freeze<Platform>({
  slug: 'bluesky',
  title: 'Bluesky',
  settings,
  hosts: {
    real: {
      service: 'https://bsky.social',
      plc: 'https://plc.directory',
      web: 'https://bsky.app',
      // Not an address: the identity of the service that servers are asked to pass chat calls on to.
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
