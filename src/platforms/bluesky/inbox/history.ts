import type { InboundEvent } from '../../inbound.ts';
import type { AccountCall } from '../../call.ts';
import { type ConvoView, conversationOf, listConvos, listMessages, messageOf, reactionsTo } from './chat.ts';
import { isNeverWithAppView } from '../errors.ts';
import { ALL, eventsOf, MOST_PER_PAGE, readNotices } from './notifications.ts';
import { list } from '../posts/reads.ts';
import { backfillBy, postEventsOf, type Stretch } from '../../shared/inbox/backfill.ts';
import { unlessRefused } from '../../shared/errors.ts';

const POSTS = 25;
const NOTICES = 200;
const CONVOS = 200;
/** Conversations per batch; each of them takes one more request. */
const CONVOS_AT_ONCE = 10;
const MESSAGES = 25;

async function posts(call: AccountCall) {
  return { events: postEventsOf((await list(call, { limit: POSTS })).posts) };
}

async function notices(call: AccountCall, after: string | undefined): Promise<Stretch> {
  try {
    const { notices: found, cursor } = await readNotices(call, ALL, { limit: MOST_PER_PAGE, cursor: after });
    return { events: await eventsOf(call, found), after: cursor };
  } catch (error) {
    if (!isNeverWithAppView(error)) throw error;
    return { events: [] };
  }
}

async function chat(call: AccountCall, after: string | undefined): Promise<Stretch> {
  const { convos, cursor } = await listConvos(call, { limit: CONVOS_AT_ONCE, cursor: after });
  const events: InboundEvent[] = [];
  for (const convo of convos) events.push(...(await messagesOf(call, convo)));
  return { events, after: cursor };
}

/** Backfills the latest posts, replies, mentions and, if the login may read them, conversations. */
export const history = backfillBy(() => [
  { name: 'posts', read: posts },
  { name: 'notifications', reads: Math.ceil(NOTICES / MOST_PER_PAGE), read: notices },
  { name: 'conversations', reads: CONVOS / CONVOS_AT_ONCE, read: chat },
]);

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
