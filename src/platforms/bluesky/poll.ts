import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { PollBatch } from '../inbound.ts';
import type { AccountCall } from '../call.ts';
import { ChatPosition, pollChat } from './poll-chat.ts';
import { NotificationsPosition, pollNotifications } from './poll-notifications.ts';

const PollPosition = z.object({
  news: NotificationsPosition.optional().catch(undefined),
  chat: ChatPosition.optional().catch(undefined),
});

/**
 * News of the network and of the chat service. One that fails keeps its place and does not hold up the other; the
 * failure is told when that is all there is to tell. A part that finds its place, be it later than the other, also
 * tells what it met there, as it may be too late for history.
 */
export async function read(call: AccountCall, cursor: unknown): Promise<PollBatch> {
  const was = PollPosition.safeParse(cursor ?? {}).data ?? {};
  const [notifications, chat] = await Promise.allSettled([pollNotifications(call, was.news), pollChat(call, was.chat)]);
  const at = {
    news: notifications.status === 'fulfilled' ? notifications.value.at : was.news,
    chat: chat.status === 'fulfilled' ? chat.value.at : was.chat,
  };
  const failed = [notifications, chat].find(({ status }) => status === 'rejected');
  const isSame = isDeepStrictEqual(at, { news: was.news, chat: was.chat });
  if (failed?.status === 'rejected' && isSame) throw failed.reason;
  const reported = [notifications, chat].flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []));
  const eventsOf = (parts: typeof reported) => parts.flatMap(({ events }) => events);
  return {
    events: eventsOf(reported.filter(({ began }) => !began)),
    baseline: eventsOf(reported.filter(({ began }) => began)),
    cursor: at,
    more: reported.some(({ more }) => more),
  };
}
