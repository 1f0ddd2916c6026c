import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { Id } from '../graph/api.ts';
import type { SentMessage } from '../messages.ts';
import type { SendState } from '../sending.ts';
import { text } from '../shared/fields.ts';
import { UPLOAD_DEADLINE_MS } from '../shared/rest.ts';
import { asAccount } from './api.ts';
import { conversationWith } from './people.ts';

const Accepted = z.object({
  contacts: z.array(z.object({ wa_id: text, user_id: text })).catch([]),
  messages: z.tuple([z.object({ id: Id, message_status: text })], z.unknown()),
});

/** A person, by number or by the id that the business knows them by; the number counts where both are named. */
type Recipient = Readonly<{ to: string } | { recipient: string }>;

/** A message that WhatsApp accepted, and what it calls the recipient. */
type Sent = SentMessage & Readonly<{ recipient: string | undefined; message_status: string | undefined }>;

/**
 * Sends a message of any type; `content` is its `type` with the member of that name. WhatsApp accepts it, and tells with
 * statuses what became of it. These carry our correlation id, by which alone a lost answer is settled: there is nothing
 * to look it up by. Slow, because media by link is fetched first.
 */
export async function sendMessage(
  call: AccountCall,
  person: Recipient,
  content: Readonly<{ type: string; [member: string]: unknown }>,
  { correlationId }: Pick<SendState, 'correlationId'>,
): Promise<Sent> {
  const json = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...person,
    ...content,
    biz_opaque_callback_data: correlationId,
  };
  const request = { method: 'POST', path: '/{number}/messages', json, deadlineMs: UPLOAD_DEADLINE_MS } as const;
  const { contacts, messages } = await asAccount(call, request, Accepted);
  const [called = {}] = contacts;
  const [{ id: message_id, message_status }] = messages;
  const recipient = called.wa_id ?? called.user_id;
  return { message_id, conversation: conversationWith(called), recipient, message_status };
}
