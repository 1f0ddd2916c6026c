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

/** A recipient by number or by business-scoped id; if both were sent, WhatsApp would use the number. */
type Recipient = Readonly<{ to: string } | { recipient: string }>;

/** An accepted message with WhatsApp's id of the recipient. */
type Sent = SentMessage & Readonly<{ recipient: string | undefined; message_status: string | undefined }>;

/** Sends a message of any type; its outcome arrives in statuses that contain our correlation id. */
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
