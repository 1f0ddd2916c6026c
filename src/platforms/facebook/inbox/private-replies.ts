import * as z from 'zod';
import { PLATFORM_REASONS } from '../../../kernel/errors.ts';
import type { CommentPlace } from '../../interactions.ts';
import type { SentMessage } from '../../messages.ts';
import type { SendCall, SendState, Sending, SettleState } from '../../sending.ts';
import type { AccountCall } from '../../call.ts';
import { PlatformError } from '../../errors.ts';
import { asPage } from '../api.ts';
import { isSameText } from '../posts/drafts.ts';
import { isGraph } from '../../graph/errors.ts';
import { personOf, secondOf, Somebody } from '../../graph/fields.ts';
import { sendMessage } from './messages.ts';
import { pageAt } from '../accounts/places.ts';
import { conversationOf, messageOf, THREAD_FIELDS, Threads } from '../../graph/conversations.ts';

const RECENT_THREADS = 25;
/** The message is sent already, so the recipient lookup gets a short deadline. */
const LOOK_DEADLINE_MS = 5_000;

const Recipients = z.object({ to: z.object({ data: z.array(Somebody) }) });
const Written = z.object({ from: Somebody });

type Ask = CommentPlace & Readonly<{ comment: string; text: string }>;

/** A message to the author of a comment: one per comment, within the platform's window. */
export const privateReply = Object.freeze<Sending<Ask, SentMessage>>({ send, settle });

async function send(call: SendCall, ask: Ask, { correlationId }: SendState): Promise<SentMessage> {
  const page = pageAt(call, ask);
  const message = { text: ask.text.toWellFormed(), metadata: correlationId };
  try {
    const sent = await sendMessage(call, page, { recipient: { comment_id: ask.comment }, message });
    const { message_id, recipient_id: person } = sent;
    const conversation =
      person === undefined
        ? await recipientOf(call, page, message_id)
        : { platform_id: person, page_id: page, participant: { id: person, name: '' } };
    return { message_id, conversation };
  } catch (error) {
    // The window of a comment closes for good, unlike the window of a conversation.
    if (!isGraph(error, 10) || error.reason !== 'window_closed') throw error;
    const { kind: outcome, status = 400, upstream = '' } = error;
    const [, message] = PLATFORM_REASONS.private_reply_ineligible;
    throw new PlatformError(outcome, 'private_reply_ineligible', message, { status, upstream, cause: error });
  }
}

/** The response does not name the recipient; if Graph does not either, the echo of the message will. */
async function recipientOf(call: AccountCall, page: string, message: string) {
  const query = { fields: 'to' };
  const ask = { method: 'GET', path: '/{message}', ids: { message }, query, deadlineMs: LOOK_DEADLINE_MS } as const;
  try {
    const { to } = await asPage(call, page, ask, Recipients);
    const person = personOf(to.data.find((somebody) => somebody !== undefined && somebody.id !== page));
    return person.id === '' ? undefined : { platform_id: person.id, page_id: page, participant: person };
  } catch (error) {
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}

/** Looks in the newest conversations for the author of the comment, whose id may differ there. */
async function settle(call: AccountCall, ask: Ask, { sentAt, taken }: SettleState): Promise<SentMessage | 'unknown'> {
  const page = pageAt(call, ask);
  const about = {
    method: 'GET',
    path: '/{comment}',
    ids: { comment: ask.comment },
    query: { fields: 'from' },
  } as const;
  const writer = personOf((await asPage(call, page, about, Written)).from);
  if (writer.id === '') return 'unknown';
  const query = { platform: 'messenger', fields: THREAD_FIELDS, limit: RECENT_THREADS };
  const request = { method: 'GET', path: '/{page}/conversations', ids: { page }, query } as const;
  const { data } = await asPage(call, page, request, Threads);
  const [found, another] = data.flatMap((thread) => {
    const conversation = conversationOf(thread, page);
    if (conversation === undefined || !isSame(conversation.participant, writer)) return [];
    return thread.messages.data
      .map((message) => messageOf(message, page))
      .filter(({ direction, text }) => direction === 'outgoing' && isSameText(text, ask.text))
      .filter(({ created_at: at, platform_id }) => at >= secondOf(sentAt) && !taken.has(platform_id))
      .map(({ platform_id, created_at }) => ({ message_id: platform_id, conversation, created_at }));
  });
  return found === undefined || another !== undefined ? 'unknown' : found;
}

type Named = Readonly<{ id: string; name: string }>;

function isSame(one: Named, other: Named): boolean {
  return one.id === other.id || (one.name !== '' && one.name === other.name);
}
