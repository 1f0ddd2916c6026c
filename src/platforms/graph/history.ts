import type { AccountCall } from '../call.ts';
import type { Inbox } from '../inbound.ts';
import { backfillBy, type Stretch } from '../shared/inbox/backfill.ts';
import { type Messenger, readConversations } from './messaging.ts';

/** The number of items per read, and the most reads of a list. */
type Extent = Readonly<{ limit: number; reads: number }>;

type Backfill = Readonly<{
  messenger: Messenger;
  /** The pages or accounts whose conversations and posts are read. */
  ownersOf(call: AccountCall): readonly string[];
  /** Posts of an owner with their comment counts, newest first. */
  posts(
    call: AccountCall,
    owner: string,
    page: Readonly<{ limit: number; after?: string | undefined }>,
  ): Promise<Stretch>;
  extent: Readonly<{ conversations: Extent; posts: Extent }>;
}>;

export function graphHistory({ messenger, ownersOf, posts, extent }: Backfill): Inbox {
  const history = backfillBy((call) =>
    ownersOf(call).flatMap((owner) => [
      {
        name: `conversations of ${owner}`,
        reads: extent.conversations.reads,
        read: (_, after) => readConversations(messenger, call, owner, { limit: extent.conversations.limit, after }),
      },
      {
        name: `posts of ${owner}`,
        reads: extent.posts.reads,
        read: (_, after) => posts(call, owner, { limit: extent.posts.limit, after }),
      },
    ]),
  );
  return Object.freeze({ history });
}
