import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { PollBatch } from '../../inbound.ts';
import type { AccountCall } from '../../call.ts';
import { ChatPosition, pollChat } from './poll-chat.ts';
import { NotificationsPosition, pollNotifications } from './poll-notifications.ts';

const PollPosition = z.object({
  news: NotificationsPosition.optional().catch(undefined),
  chat: ChatPosition.optional().catch(undefined),
});

/**
 * Polls notifications and chat. If one fails, it keeps its position and does not block the other; the error is thrown
 * only when neither made progress. The first successful poll of a part returns its events as baseline, because the
 * backfill may already have run.
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
