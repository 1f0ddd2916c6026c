import type { AccountCall } from '../call.ts';
import type { Inbox, InboundEvent } from '../inbound.ts';
import type { PlatformComment } from '../records.ts';
import { backfillBy, postEventsOf } from '../shared/inbox/backfill.ts';
import { pollChanges } from '../shared/inbox/changes.ts';
import { sessionOf } from './api.ts';
import { commentsIn, readThreads } from './comments.ts';
import { list } from './reads.ts';

/** With one channel a fifth of the day's units; with several, polls come as often as half of what is left allows. */
const POLL_MS = 45_000;
const MOST_PER_PAGE = 100;
const POSTS = 25;
/** Pages of comments that are read of the time before the connection. */
const MOST_PAGES = 3;

/** The newest comments of the channel with the replies that come with them, whatever video they are on. */
async function newest(call: AccountCall, { cursor: pageToken }: Readonly<{ cursor?: string | undefined }>) {
  const query = { allThreadsRelatedToChannelId: sessionOf(call.session).channel, order: 'time' };
  const { threads, cursor } = await readThreads(call, { ...query, maxResults: MOST_PER_PAGE, pageToken });
  const items = threads.flatMap((thread) => commentsIn(call, thread));
  return { items: items.map((comment) => ({ ...comment, updated_at: comment.created_at })), cursor };
}

const eventOf = (comment: PlatformComment): InboundEvent => ({ kind: 'comment', comment });

/** Backfill: the latest videos, then the latest comments. */
const history = backfillBy(() => [
  { name: 'videos', read: async (call) => ({ events: postEventsOf((await list(call, { limit: POSTS })).posts) }) },
  {
    name: 'comments',
    reads: MOST_PAGES,
    async read(call, after) {
      const { items, cursor } = await newest(call, { cursor: after });
      return { events: items.map(eventOf), after: cursor };
    },
  },
]);

/** Nobody pushes comments; polls follow what is left of the day's units. */
export const inbox: Inbox = {
  history,
  poll: {
    everyMs: POLL_MS,
    cost: { bucket: 'units', units: 1 },
    read: pollChanges(newest, eventOf, MOST_PER_PAGE),
  },
};
