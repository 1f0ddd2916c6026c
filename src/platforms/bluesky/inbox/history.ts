import * as z from 'zod';
import type { InboundBatch, InboundEvent } from '../../inbound.ts';
import type { AccountCall } from '../../call.ts';
import { PlatformError } from '../../errors.ts';
import { type ConvoView, conversationOf, listConvos, listMessages, messageOf, reactionsTo } from './chat.ts';
import { isNeverWithAppView } from '../errors.ts';
import { ALL, eventsOf, MOST_PER_PAGE, readNotices } from './notifications.ts';
import { list } from '../posts/reads.ts';
import { postEventsOf } from '../../shared/inbox/backfill.ts';
import { unlessRefused } from '../../shared/errors.ts';

const POSTS = 25;
const NOTICES = 200;
const CONVOS = 200;
/** Conversations per batch; each needs a request of its own. */
const CONVOS_AT_ONCE = 10;
const MESSAGES = 25;

const HistoryPosition = z.object({
  part: z.enum(['posts', 'notices', 'chat']),
  cursor: z.string().optional(),
  /** Number of items read of this part. */
  read: z.number().int().nonnegative(),
});
type HistoryPosition = z.output<typeof HistoryPosition>;

/** Backfill: the latest posts, replies and mentions, and conversations. */
export async function history(call: AccountCall, cursor: unknown): Promise<InboundBatch> {
  const place = HistoryPosition.safeParse(cursor).data ?? { part: 'posts', read: 0 };
  if (place.part !== 'posts') return place.part === 'notices' ? notices(call, place) : chat(call, place);
  const { posts } = await list(call, { limit: POSTS });
  return { events: postEventsOf(posts), cursor: { part: 'notices', read: 0 }, more: true };
}

async function notices(call: AccountCall, place: HistoryPosition): Promise<InboundBatch> {
  const chatNext: HistoryPosition = { part: 'chat', read: 0 };
  try {
    const page = await readNotices(call, ALL, { limit: MOST_PER_PAGE, cursor: place.cursor });
    const read = place.read + MOST_PER_PAGE;
    const next: HistoryPosition =
      page.cursor && read < NOTICES ? { part: 'notices', cursor: page.cursor, read } : chatNext;
    return { events: await eventsOf(call, page.notices), cursor: next, more: true };
  } catch (error) {
    if (!isNeverWithAppView(error)) throw error;
    return { events: [], cursor: chatNext, more: true };
  }
}

async function chat(call: AccountCall, { cursor, read }: HistoryPosition): Promise<InboundBatch> {
  try {
    const page = await listConvos(call, { limit: CONVOS_AT_ONCE, cursor });
    const events: InboundEvent[] = [];
    for (const convo of page.convos) events.push(...(await messagesOf(call, convo)));
    const done = read + CONVOS_AT_ONCE;
    const next: HistoryPosition = { part: 'chat', cursor: page.cursor, read: done };
    return { events, cursor: next, more: page.cursor !== undefined && done < CONVOS };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.reason !== 'dm_scope_missing') throw error;
    return { events: [], cursor: { part: 'chat', read }, more: false };
  }
}

async function messagesOf(call: AccountCall, convo: ConvoView): Promise<readonly InboundEvent[]> {
  const conversation = conversationOf(call, convo);
  if (!conversation) return [];
  const listed = await unlessRefused(listMessages(call, convo.id, { limit: MESSAGES }), 'not_found');
  const messages = listed?.messages ?? [];
  return messages.flatMap((message) => [
    { kind: 'message', conversation, message: messageOf(call, message) },
    ...reactionsTo(call, convo.id, message),
  ]);
}
