import * as z from 'zod';
import type { InboundBatch, InboundEvent, Inbox } from '../../inbound.ts';
import type { AccountCall } from '../../call.ts';
import { cursorOf } from '../../graph/api.ts';
import { listPosts } from './feed.ts';
import { sessionOf } from '../accounts/session.ts';
import { readConversations } from '../../graph/messaging.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { messenger } from './messages.ts';

/** Backfill limits of each page: items per read, and reads. */
const CONVERSATIONS = Object.freeze({ perRead: 25, reads: 8 });
const POSTS = Object.freeze({ perRead: 100, reads: 5 });

/** The backfill position: the pages left (the first is being read), the part, and the cursor. */
const Cursor = z.object({
  pages: z.array(z.string()),
  part: z.enum(['conversations', 'posts']),
  reads: z.int(),
  after: z.string().optional(),
});
type Cursor = z.output<typeof Cursor>;
type Stretch = Readonly<{ events: readonly InboundEvent[]; after: string | undefined }>;

/** Backfill: conversations of every page, and its posts with comment counts. */
export const inbox = Object.freeze<Inbox>({ history });

async function history(call: AccountCall, cursor: unknown): Promise<InboundBatch> {
  const at = Cursor.safeParse(cursor).data ?? start(Object.keys(sessionOf(call.session).pages));
  const [page] = at.pages;
  if (page === undefined) return { events: [], cursor: at, more: false };
  const { events, after } = await stretchOf(call, page, at);
  const next = nextOf(at, after);
  return { events, cursor: next, more: next.pages.length > 0 };
}

const start = (pages: readonly string[]): Cursor => ({ pages: [...pages], part: 'conversations', reads: 0 });

function nextOf({ pages, part, reads }: Cursor, after: string | undefined): Cursor {
  const most = part === 'conversations' ? CONVERSATIONS.reads : POSTS.reads;
  if (after !== undefined && reads + 1 < most) return { pages, part, reads: reads + 1, after };
  return part === 'conversations' ? { pages, part: 'posts', reads: 0 } : start(pages.slice(1));
}

/** One read; a part that the login may not see is skipped. */
async function stretchOf(call: AccountCall, page: string, { part, after }: Cursor): Promise<Stretch> {
  const read =
    part === 'conversations'
      ? readConversations(messenger, call, page, { limit: CONVERSATIONS.perRead, after })
      : postsOf(call, page, after);
  return (await unlessRefused(read)) ?? { events: [], after: undefined };
}

async function postsOf(call: AccountCall, page: string, after: string | undefined): Promise<Stretch> {
  const { posts, list } = await listPosts(call, page, { limit: POSTS.perRead, after });
  return { events: posts.map((post): InboundEvent => ({ kind: 'post', post })), after: cursorOf(list) };
}
