/** Backfills, and polls (within the budget of reads) for accounts without pushes. */
import { DAY } from '#kernel/clock.ts';
import type { AccountCall } from '../call.ts';
import { windowAt } from '#kernel/limits/windows.ts';
import type { Inbox, PollBatch } from '../inbound.ts';
import { QuotaSpent } from '../app/quotas.ts';
import { backfillBy, postEventsOf } from '../shared/inbox/backfill.ts';
import { firstPage, newestPart, type NewestList, payingFirst, readIn } from '../shared/inbox/newest.ts';
import { pollParts } from '../shared/inbox/polling.ts';
import { monthlyReads, quotas, sessionOf } from './api.ts';
import { isCapped } from './errors.ts';
import { type DmEvent, messageEvent, readEvents } from './messages.ts';
import { posts } from './posts.ts';
import { searchReplies, sorted } from './replies.ts';
import { type IncludedObjects, type Post, postsOf, viewerOf } from './tweets.ts';

const EVERY_MS = 120_000;
/** How far back X searches: 7 days, less a margin. */
const SEARCHED_MS = 6.9 * DAY;
const POSTS = 25;
const max_results = 100;

/** Makes a list whose posts by others become comments or mentions. */
const newestList = (
  what: 'comments' | 'mentions',
  page: NewestList<Post, IncludedObjects>['page'],
): NewestList<Post, IncludedObjects> => ({
  page,
  async take(call, items, includes) {
    const { comments, mentions, read } = await sorted(call, items, includes);
    if (what === 'mentions') return { events: mentions.map((mention) => ({ kind: 'mention', mention })), read };
    return { events: comments.map((comment) => ({ kind: 'comment', comment })), read };
  },
});

/** Replies to the account, found by a search for its id, which stays when the username changes. */
const replies: NewestList<Post, IncludedObjects> = {
  ...newestList('comments', (call, { since: since_id, cursor: next_token }) => {
    const query = `to:${sessionOf(call.session).user_id} is:reply`;
    return searchReplies(call, query, { max_results, since_id, next_token });
  }),
  searchedMs: SEARCHED_MS,
};

const mentions = newestList('mentions', (call, { since: since_id, cursor: pagination_token }) =>
  postsOf(call, 'mentions', { max_results, since_id, pagination_token }),
);

const messages: NewestList<DmEvent, IncludedObjects> = {
  page: (call, { cursor: pagination_token }) =>
    readEvents(call, { path: '/2/dm_events', query: { max_results, pagination_token } }),
  async take(call, items, includes) {
    const events = items.map((one) => messageEvent(viewerOf(call), one, includes));
    return { events, read: events.length };
  },
};

const readParts = pollParts({
  replies: newestPart(replies),
  mentions: newestPart(mentions),
  messages: newestPart(messages),
});

/** Polls the lists; if X reports the allowance as used up, polling waits until next month. */
async function poll(call: AccountCall, cursor: unknown): Promise<PollBatch> {
  try {
    // The units of the previous poll, whose cost is known only now; at most a whole month's.
    const units = Math.min(readIn(cursor), monthlyReads(call));
    return await readParts(payingFirst(call, { bucket: 'reads', units }), cursor);
  } catch (error) {
    if (!isCapped(error)) throw error;
    const now = call.now();
    throw new QuotaSpent('reads', { now, until: windowAt(quotas.reads, now).end });
  }
}

/** Reads one page of each list from before the connection. */
const history = backfillBy(() => [
  {
    name: 'posts',
    read: async (call) => ({ events: postEventsOf((await posts.list!(call, { limit: POSTS })).posts) }),
  },
  firstPage('replies', replies),
  firstPage('mentions', mentions),
  firstPage('messages', messages),
]);

export const inbox: Inbox = {
  history,
  poll: { everyMs: EVERY_MS, when: 'unpushed', cost: { bucket: 'reads', units: 1 }, read: poll },
};
