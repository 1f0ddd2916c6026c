import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { PlatformError } from '../errors.ts';
import type { CommentLocation } from '../interactions.ts';
import type { SentMessage } from '../messages.ts';
import type { Person } from '../inbox-types.ts';
import type { SendCall, Sending, SendState, SettleState } from '../sending.ts';
import { refused } from '../shared/errors.ts';
import { onlyText } from '../shared/settle.ts';
import { conversationOf, messageOf, THREAD_FIELDS, Threads } from './messages/conversations.ts';
import { isGraph } from './errors.ts';
import { personOf, Somebody } from './fields.ts';
import { conversationsRequest, type Messenger, sendMessage } from './messaging.ts';

const RECENT_THREADS = 25;
/** A short deadline for looking up the recipient, because the message has already been sent. */
const LOOK_DEADLINE_MS = 5_000;

const Recipients = z.object({ to: z.object({ data: z.array(Somebody) }) });
const Written = z.object({ from: Somebody });

type PrivateReply = CommentLocation & Readonly<{ comment: string; text: string }>;

/** Messages a comment's author, once per comment within the window; `ownerOf` returns the page of the post. */
export function graphPrivateReply(
  messenger: Messenger,
  ownerOf: (call: AccountCall, location: CommentLocation) => string,
): Sending<PrivateReply, SentMessage> {
  const { platform, hasPages, hasMarks, request } = messenger;
  const inPage = (owner: string) => (hasPages ? { page_id: owner } : {});

  async function send(call: SendCall, request: PrivateReply, { correlationId }: SendState): Promise<SentMessage> {
    const owner = ownerOf(call, request);
    const message = { text: request.text.toWellFormed(), ...(hasMarks && { metadata: correlationId }) };
    try {
      const sent = await sendMessage(messenger, call, owner, { recipient: { comment_id: request.comment }, message });
      const { message_id, recipient_id: person } = sent;
      const conversation =
        person === undefined
          ? await recipientOf(call, owner, message_id)
          : { platform_id: person, ...inPage(owner), participant: { id: person, name: '' } };
      return { message_id, conversation };
    } catch (error) {
      // A conversation's window can open again, but a comment's window closes for good.
      if (!isGraph(error, 10) || error.reason !== 'window_closed') throw error;
      throw refused('private_reply_ineligible', undefined, error);
    }
  }

  /** The send response omits the recipient. If this lookup does too, the echo of the message has it. */
  async function recipientOf(call: AccountCall, owner: string, message: string) {
    const query = { fields: 'to' };
    const options = {
      method: 'GET',
      path: '/{message}',
      ids: { message },
      query,
      deadlineMs: LOOK_DEADLINE_MS,
    } as const;
    try {
      const { to } = await request(call, owner, options, Recipients);
      const self = messenger.selfOf?.(call) ?? owner;
      const person = personOf(to.data.find((somebody) => somebody !== undefined && somebody.id !== self));
      return person.id === '' ? undefined : { platform_id: person.id, ...inPage(owner), participant: person };
    } catch (error) {
      if (error instanceof PlatformError) return undefined;
      throw error;
    }
  }

  /** Searches the newest conversations for the comment's author, whose id may be different there. */
  async function settle(
    call: AccountCall,
    options: PrivateReply,
    lookup: SettleState,
  ): Promise<SentMessage | 'unknown'> {
    const owner = ownerOf(call, options);
    const self = messenger.selfOf?.(call) ?? owner;
    const ids = { comment: options.comment };
    const about = { method: 'GET', path: '/{comment}', ids, query: { fields: 'from' } } as const;
    const writer = personOf((await request(call, owner, about, Written)).from);
    if (writer.id === '') return 'unknown';
    const query = { platform, fields: THREAD_FIELDS[platform], limit: RECENT_THREADS };
    const { data } = await request(call, owner, conversationsRequest(owner, query), Threads);
    const messages = data.flatMap((thread) => {
      const conversation = conversationOf(thread, self, hasPages);
      if (conversation === undefined || !isSame(conversation.participant, writer)) return [];
      return thread.messages.map((message) => ({ conversation, ...messageOf(message, self) }));
    });
    const found = onlyText(messages, options.text, lookup, ({ direction }) => direction === 'outgoing');
    if (found === 'unknown') return found;
    return { message_id: found.platform_id, conversation: found.conversation, created_at: found.created_at };
  }

  return Object.freeze({ send, settle });
}

type Named = Pick<Person, 'id' | 'name'>;

function isSame(one: Named, other: Named): boolean {
  return one.id === other.id || (one.name !== '' && one.name === other.name);
}
