import type { Platform } from '../platform.ts';
import { connect } from './accounts/connect.ts';
import { API } from './api.ts';
import { limits } from './accounts/limits.ts';
import { table } from './errors.ts';
import { inbox } from './inbox/history.ts';
import { mentions } from './inbox/mentions.ts';
import { comments } from './inbox/replies.ts';
import { publish, remove } from './posts/publish.ts';
import { list, metrics } from './posts/reads.ts';
import { check, doubts, rules } from './posts/rules.ts';
import { push, VERIFY_TOKEN } from './push.ts';
import { GRAPH_ID } from '../graph/api.ts';

/** Threads over its own Graph API; a login is one profile, and there are no direct messages. */
export const threads = Object.freeze<Platform>({
  slug: 'threads',
  title: 'Threads',
  errors: { '': table },
  settings: [VERIFY_TOKEN],
  versions: [API],
  hosts: {
    real: { graph: 'https://graph.threads.net', web: 'https://threads.com' },
    sandbox: ({ api, web }) => ({ graph: `${api}/graph`, web: `${web}/www` }),
  },
  connect,
  ids: { post: GRAPH_ID, comment: GRAPH_ID },
  posts: { rules, check, doubts, publish, remove, list, metrics, syncDepth: 25 },
  comments,
  mentions,
  push,
  inbox,
  limits,
  verification: { seenBy: 'everybody, until it is removed', post: { options: { reply_control: 'mentioned_only' } } },
});
