import type { Inbox } from '../inbound.ts';
import { history } from './history.ts';
import { read } from './poll.ts';

const POLL_MS = 30_000;

/** The network pushes nothing to servers like this one: what is new is asked for. */
export const inbox = Object.freeze<Inbox>({ history, poll: { everyMs: POLL_MS, read } });
