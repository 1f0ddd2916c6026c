import type { Inbox } from '../../inbound.ts';
import { history } from './history.ts';
import { read } from './poll.ts';

const POLL_MS = 30_000;

/** The network has no webhooks for servers like this one, so it is polled. */
export const inbox = Object.freeze<Inbox>({ history, poll: { everyMs: POLL_MS, read } });
