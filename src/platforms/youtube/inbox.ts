import * as z from 'zod';
import { MINUTE } from '#kernel/clock.ts';
import type { AccountCall } from '../call.ts';
import type { Inbox, InboundEvent, PollBatch } from '../inbound.ts';
import type { PlatformComment } from '../inbox-types.ts';
import { backfillBy, postEventsOf } from '../shared/inbox/backfill.ts';
import { pollChanges } from '../shared/inbox/changes.ts';
import { sessionOf } from './api.ts';
import { commentsIn, readThreads } from './comments.ts';
import { list } from './reads.ts';

/** At this interval one channel uses a fifth of the daily units; with several, polls slow down as units run out. */
const POLL_MS = 45_000;
const MOST_PER_PAGE = 100;
const POSTS = 25;
/** How often uploads are polled if they are not pushed. */
const VIDEOS_MS = 15 * MINUTE;
const MOST_PAGES = 3;

/** Reads the newest comments on all videos of the channel, with the replies included in them. */
async function newest(call: AccountCall, { cursor: pageToken }: Readonly<{ cursor?: string | undefined }>) {
  const query = { allThreadsRelatedToChannelId: sessionOf(call.session).channel, order: 'time' };
  const { threads, cursor } = await readThreads(call, { ...query, maxResults: MOST_PER_PAGE, pageToken });
  const items = threads.flatMap((thread) => commentsIn(call, thread));
  return { items: items.map((comment) => ({ ...comment, updated_at: comment.created_at })), cursor };
}

const eventOf = (comment: PlatformComment): InboundEvent => ({ kind: 'comment', comment });

const history = backfillBy(() => [
  { name: 'videos', read: async (call) => ({ events: await videosOf(call) }) },
  {
    name: 'comments',
    reads: MOST_PAGES,
    async read(call, after) {
      const { items, cursor } = await newest(call, { cursor: after });
      return { events: items.map(eventOf), after: cursor };
    },
  },
]);

const videosOf = async (call: AccountCall) => postEventsOf((await list(call, { limit: POSTS })).posts);

const pollComments = pollChanges(newest, eventOf, MOST_PER_PAGE);
const Polled = z.object({ comments: z.unknown(), videos_at: z.number() });

/** Reads new comments, and new uploads if those are not pushed. */
async function poll(call: AccountCall, cursor: unknown, { isPushed } = { isPushed: true }): Promise<PollBatch> {
  const { comments: before, videos_at } = Polled.safeParse(cursor).data ?? { comments: cursor, videos_at: 0 };
  const batch = await pollComments(call, before);
  if (isPushed || call.now() - videos_at < VIDEOS_MS)
    return { ...batch, cursor: batch.cursor === before ? cursor : { comments: batch.cursor, videos_at } };
  const events = [...batch.events, ...(await videosOf(call))];
  return { ...batch, events, cursor: { comments: batch.cursor, videos_at: call.now() } };
}

/** Comments are never pushed; polls slow down as fewer units remain. */
export const inbox: Inbox = { history, poll: { everyMs: POLL_MS, cost: { bucket: 'units', units: 1 }, read: poll } };
