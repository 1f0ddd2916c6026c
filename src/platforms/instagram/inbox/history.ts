import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import { readConversations } from '../../graph/messaging.ts';
import type { InboundBatch, Inbox } from '../../inbound.ts';
import { postEventsOf } from '../../shared/backfill.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { ownerOf } from '../api.ts';
import { list } from '../posts/reads.ts';
import { messenger } from './messages.ts';

/** Backfill limits: items per read, and reads. */
const PARTS = Object.freeze({ conversations: { limit: 20, reads: 10 }, posts: { limit: 100, reads: 5 } });

/** The backfill position: the part, how often it was read, and the cursor. */
const Cursor = z.object({ part: z.enum(['conversations', 'posts']), reads: z.int(), after: z.string().optional() });
const BEGIN: z.output<typeof Cursor> = Object.freeze({ part: 'conversations', reads: 0 });

/** Backfill: conversations, and posts with comment counts. */
export const inbox = Object.freeze<Inbox>({ history });

async function history(call: AccountCall, cursor: unknown): Promise<InboundBatch> {
  const { part, reads, after } = Cursor.safeParse(cursor).data ?? BEGIN;
  const { limit, reads: most } = PARTS[part];
  const reading = part === 'posts' ? readPosts(call, limit, after) : readTalks(call, limit, after);
  // A part that the login may not see is skipped.
  const { events, after: next } = (await unlessRefused(reading)) ?? { events: [], after: undefined };
  if (next !== undefined && reads + 1 < most) {
    return { events, cursor: { part, reads: reads + 1, after: next }, more: true };
  }
  return { events, cursor: { part: 'posts', reads: 0 }, more: part === 'conversations' };
}

const readTalks = (call: AccountCall, limit: number, after: string | undefined) =>
  readConversations(messenger, call, ownerOf(call), { limit, after });

async function readPosts(call: AccountCall, limit: number, after: string | undefined) {
  const { posts, cursor } = await list(call, { limit, cursor: after });
  return { events: postEventsOf(posts), after: cursor };
}
