import * as z from 'zod';
import { PushedId } from '../graph/fields.ts';
import { tableOf } from '#kernel/text/table.ts';
import type { InboundEvent } from '../inbound.ts';
import type { PlatformMessage } from '../inbox-types.ts';
import { type LaterFailure, laterFailure } from '../refusal.ts';
import { readable, text, UnixTime, word } from '../shared/fields.ts';
import { failureOf } from './errors.ts';
import { contentIn, Content, tapIn } from './content.ts';
import { type Called, conversationWith } from './people.ts';

const Contact = z.object({
  profile: z.object({ name: word, username: text }).catch({ name: '', username: undefined }),
  wa_id: text,
  user_id: text,
});
type Contact = z.output<typeof Contact>;

const Message = Content.extend({
  id: PushedId,
  from: text,
  from_user_id: text,
  /** The recipient; only in echoes of sent messages. */
  to: text,
  to_user_id: text,
  timestamp: UnixTime,
  group_id: text,
  edit: z.object({ original_message_id: PushedId, message: Content }).optional().catch(undefined),
  revoke: z.object({ original_message_id: PushedId }).optional().catch(undefined),
  reaction: z.object({ message_id: PushedId, emoji: word }).optional().catch(undefined),
  context: z.object({ id: text }).optional().catch(undefined),
  referral: z.looseObject({ source_type: text, source_id: text }).optional().catch(undefined),
  system: z
    .object({ body: word, type: text, wa_id: text, new_wa_id: text, user_id: text, previous_user_id: text })
    .optional()
    .catch(undefined),
});
type Message = z.output<typeof Message>;

const Problem = z.object({
  code: z.number().int(),
  title: word,
  message: word,
  error_data: z.object({ details: text }).optional().catch(undefined),
});

const Status = z.object({
  id: PushedId,
  status: z.string(),
  timestamp: UnixTime,
  recipient_id: text,
  recipient_user_id: text,
  biz_opaque_callback_data: text,
  errors: z.array(Problem).catch([]),
});
type Status = z.output<typeof Status>;

const list = z.array(z.unknown()).catch([]);
/** The value of a push of the field `messages` or `smb_message_echoes`. */
const Value = z.object({
  metadata: z.object({ phone_number_id: PushedId }),
  contacts: list,
  messages: list,
  message_echoes: list,
  statuses: list,
});

/** Events of a number: messages from people or sent with the phone app, and statuses of our messages. */
export function eventsOf(value: unknown): Readonly<{ number: string; events: readonly InboundEvent[] }> | undefined {
  const parsed = Value.safeParse(value);
  if (!parsed.success) return undefined;
  const { metadata, messages, message_echoes: echoes, statuses } = parsed.data;
  const contacts = readable(Contact, parsed.data.contacts);
  return {
    number: metadata.phone_number_id,
    events: [
      ...readable(Message, messages).flatMap((message) => received(message, contacts)),
      ...readable(Message, echoes).flatMap((message) =>
        eventOf(message, calledBy(message.to, message.to_user_id, contacts), 'outgoing'),
      ),
      ...readable(Status, statuses).flatMap((status) => receipt(status, contacts)),
    ],
  };
}

/** The two ids of a person, taken from the event or else from its contacts; either may be missing. */
function calledBy(
  id: string | undefined,
  userId: string | undefined,
  contacts: readonly Contact[],
): Called & Pick<Contact, 'profile'> {
  const isNumber = /^\d+$/.test(id ?? '');
  const [number, own] = isNumber ? [id, userId] : [undefined, userId ?? id];
  const isSame = (one: string | undefined, other: string | undefined) => one !== undefined && one === other;
  const named = contacts.find(({ wa_id, user_id }) => isSame(wa_id, number) || isSame(user_id, own));
  const contact = named ?? (number === undefined && own === undefined ? contacts[0] : undefined);
  return {
    wa_id: number ?? contact?.wa_id,
    user_id: own ?? contact?.user_id,
    profile: contact?.profile ?? { name: '', username: undefined },
  };
}

/** Events that move what is stored under the number to the permanent id. */
const aliasesOf = ({ wa_id, user_id }: Called): readonly InboundEvent[] =>
  wa_id === undefined || user_id === undefined ? [] : renamed(user_id, wa_id);

const renamed = (platform_id: string, alias: string): readonly InboundEvent[] =>
  (['conversation', 'person'] as const).map((thing) => ({ kind: 'alias', thing, platform_id, alias }));

function received(message: Message, contacts: readonly Contact[]): readonly InboundEvent[] {
  const called = calledBy(message.from, message.from_user_id, contacts);
  if (message.type === 'system') return moved(message, called);
  const tap = tapIn(message);
  if (tap === undefined || message.group_id !== undefined) return eventOf(message, called, 'incoming');
  const conversation = conversationWith(called, called.profile);
  if (conversation === undefined) return [];
  const { id: platform_id, timestamp: at } = message;
  const metadata = { ...referralOf(message), ...tap.metadata };
  const { title, payload } = tap;
  return [...aliasesOf(called), { kind: 'postback', conversation, platform_id, at, title, payload, metadata }];
}

/** The events of a message, or of a change to an earlier message. */
function eventOf(
  message: Message,
  called: Called & Pick<Contact, 'profile'>,
  direction: PlatformMessage['direction'],
): readonly InboundEvent[] {
  const { type, group_id: group, timestamp: at, edit, revoke, reaction } = message;
  // Group messages are ignored, and so is an opened chat, which has no content.
  if (group !== undefined || type === 'request_welcome') return [];
  if (type === 'revoke') return revoke ? [{ kind: 'message_gone', platform_id: revoke.original_message_id }] : [];
  if (type === 'edit') {
    if (edit === undefined) return [];
    const { attachments, ...message } = contentIn(edit.message);
    const content = attachments.length > 0 ? { ...message, attachments } : message;
    return [{ kind: 'message_edited', platform_id: edit.original_message_id, content, at }];
  }
  if (type !== 'reaction') return written(message, called, direction);
  const conversation = conversationWith(called)?.platform_id;
  if (conversation === undefined || reaction === undefined) return [];
  const { message_id: about, emoji } = reaction;
  const emojis = emoji === '' ? [] : [emoji];
  return [...aliasesOf(called), { kind: 'reaction', conversation, message: about, direction, emojis, at }];
}

function written(
  message: Message,
  called: Called & Pick<Contact, 'profile'>,
  direction: PlatformMessage['direction'],
): readonly InboundEvent[] {
  const conversation = conversationWith(called, called.profile);
  if (conversation === undefined) return [];
  const { text: words, attachments, metadata } = contentIn(message);
  const stored = {
    platform_id: message.id,
    direction,
    text: words,
    attachments,
    created_at: message.timestamp,
    reply_to: message.context?.id,
    metadata: { ...metadata, ...referralOf(message) },
  };
  return [...aliasesOf(called), { kind: 'message', conversation, message: stored }];
}

/** A person changed their number, id or phone; their conversation continues under the new id. */
function moved(message: Message, was: Called): readonly InboundEvent[] {
  const { wa_id, new_wa_id, user_id, previous_user_id, body, type = 'system' } = message.system ?? {};
  const now = { wa_id: new_wa_id ?? wa_id ?? was.wa_id, user_id: user_id ?? was.user_id };
  const conversation = conversationWith(now);
  if (conversation === undefined) return [];
  const { platform_id: id, metadata } = conversation;
  // For people who hide their number, only the last id is given.
  const others = new Set([previous_user_id, was.user_id, was.wa_id]);
  const gone = [...others].filter((one) => one !== undefined && one !== id && one !== now.wa_id);
  return [
    ...gone.flatMap((alias) => renamed(id, alias!)),
    ...aliasesOf(now),
    {
      kind: 'notice',
      conversation: id,
      platform_id: message.id,
      text: body || 'Something about this person changed on WhatsApp',
      notice: { type },
      sends: metadata ?? {},
      at: message.timestamp,
    },
  ];
}

/** The ad or post from which the person opened the conversation. */
function referralOf({ referral }: Message) {
  if (referral === undefined) return {};
  const { source_type, source_id } = referral;
  return { referral: { ...referral, ...(source_type === 'ad' && { ad_id: source_id }) } };
}

/** Our statuses for WhatsApp's; a voice message that was played counts as read. */
const STATUSES: ReadonlyMap<string, Extract<InboundEvent, { kind: 'receipt' }>['status']> = tableOf({
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  played: 'read',
  failed: 'failed',
});

function receipt(given: Status, contacts: readonly Contact[]): readonly InboundEvent[] {
  const { id, timestamp: at, recipient_id, recipient_user_id, biz_opaque_callback_data, errors } = given;
  const status = STATUSES.get(given.status);
  const called = calledBy(recipient_id, recipient_user_id, contacts);
  const conversation = conversationWith(called);
  if (status === undefined || conversation === undefined) return [];
  return [
    ...aliasesOf(called),
    {
      kind: 'receipt',
      status,
      conversation: conversation.platform_id,
      message_ids: [id],
      correlation_id: biz_opaque_callback_data,
      ...(status === 'failed' && { error: errorIn(errors) }),
      at,
    },
  ];
}

/** Classifies a delivery failure by the same table as responses. */
function errorIn([first]: Status['errors']): LaterFailure {
  const error = first && { ...first, message: first.message || first.title };
  return laterFailure('whatsapp', failureOf(error, ['api_error', 'WhatsApp could not deliver the message.']));
}
