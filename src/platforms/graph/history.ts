import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import type { InboundBatch, InboundEvent, Inbox } from '../inbound.ts';
import { unlessRefused } from '../shared/errors.ts';
import { type Messenger, readConversations } from './messaging.ts';

type Stretch = Readonly<{ events: readonly InboundEvent[]; after?: string | undefined }>;
/** How many items a read has, and how many reads there are. */
type Extent = Readonly<{ limit: number; reads: number }>;

type Backfill = Readonly<{
  messenger: Messenger;
  /** The pages or accounts whose conversations and posts are read. */
  ownersOf(call: AccountCall): readonly string[];
  /** Posts of an owner with their counts of comments, newest first. */
  posts(
    call: AccountCall,
    owner: string,
    page: Readonly<{ limit: number; after?: string | undefined }>,
  ): Promise<Stretch>;
  extent: Readonly<{ conversations: Extent; posts: Extent }>;
}>;

/** The backfill position: the owners left (the first is being read), the part, how often it was read, and the cursor. */
const Cursor = z.object({
  owners: z.array(z.string()),
  part: z.enum(['conversations', 'posts']),
  reads: z.int(),
  after: z.string().optional(),
});
type Cursor = z.output<typeof Cursor>;

/** Backfill: conversations of every owner, and its posts. */
export function graphHistory({ messenger, ownersOf, posts, extent }: Backfill): Inbox {
  const start = (owners: readonly string[]): Cursor => ({ owners: [...owners], part: 'conversations', reads: 0 });

  function nextOf({ owners, part, reads }: Cursor, after: string | undefined): Cursor {
    if (after !== undefined && reads + 1 < extent[part].reads) return { owners, part, reads: reads + 1, after };
    return part === 'conversations' ? { owners, part: 'posts', reads: 0 } : start(owners.slice(1));
  }

  async function history(call: AccountCall, cursor: unknown): Promise<InboundBatch> {
    const at = Cursor.safeParse(cursor).data ?? start(ownersOf(call));
    const [owner] = at.owners;
    if (owner === undefined) return { events: [], cursor: at, more: false };
    const page = { limit: extent[at.part].limit, after: at.after };
    const reading: Promise<Stretch> =
      at.part === 'posts' ? posts(call, owner, page) : readConversations(messenger, call, owner, page);
    // A part that the login may not see is skipped.
    const { events, after } = (await unlessRefused(reading)) ?? { events: [] };
    const next = nextOf(at, after);
    return { events, cursor: next, more: next.owners.length > 0 };
  }

  return Object.freeze({ history });
}
