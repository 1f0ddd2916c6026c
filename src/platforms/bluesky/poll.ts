import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { PollBatch } from '../inbound.ts';
import type { AccountCall } from '../call.ts';
import { ChatPlace, readChat } from './poll-chat.ts';
import { NewsPlace, readNews } from './poll-news.ts';

const Place = z.object({
  news: NewsPlace.optional().catch(undefined),
  chat: ChatPlace.optional().catch(undefined),
});

/**
 * News of the network and of the chat service. One that fails keeps its place and does not hold up the other; the
 * failure is told when that is all there is to tell. A part that finds its place, be it later than the other, also
 * tells what it met there, as it may be too late for history.
 */
export async function read(call: AccountCall, cursor: unknown): Promise<PollBatch> {
  const was = Place.safeParse(cursor ?? {}).data ?? {};
  const [news, chat] = await Promise.allSettled([readNews(call, was.news), readChat(call, was.chat)]);
  const at = {
    news: news.status === 'fulfilled' ? news.value.at : was.news,
    chat: chat.status === 'fulfilled' ? chat.value.at : was.chat,
  };
  const failed = [news, chat].find(({ status }) => status === 'rejected');
  const isSame = isDeepStrictEqual(at, { news: was.news, chat: was.chat });
  if (failed?.status === 'rejected' && isSame) throw failed.reason;
  const reported = [news, chat].flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []));
  const factsOf = (parts: typeof reported) => parts.flatMap(({ facts: events }) => events);
  return {
    events: factsOf(reported.filter(({ began }) => !began)),
    baseline: factsOf(reported.filter(({ began }) => began)),
    cursor: at,
    more: reported.some(({ more }) => more),
  };
}
