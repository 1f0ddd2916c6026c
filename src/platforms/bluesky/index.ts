import type { Platform } from '../platform.ts';
import { connect } from './connect.ts';
import { publish, remove } from './posts.ts';
import { list, metrics } from './reads.ts';
import { check, rules } from './rules.ts';

/** Bluesky, by the AT Protocol: app passwords, and writes that can be repeated. */
export const bluesky = Object.freeze<Platform>({
  slug: 'bluesky',
  hosts: {
    real: { service: 'https://bsky.social', plc: 'https://plc.directory', web: 'https://bsky.app' },
    sandbox: ({ api, web }) => ({ service: api, plc: `${api}/plc`, web }),
  },
  connect,
  posts: { rules, check, publish, remove, list, metrics },
});
