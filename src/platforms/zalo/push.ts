import { createHash } from 'node:crypto';
import * as z from 'zod';
import { safeEqual } from '#kernel/sign.ts';
import { tableOf } from '#kernel/text/table.ts';
import type { JsonLimits } from '#kernel/text/json.ts';
import type { AccountCall } from '../call.ts';
import type { InboundEvent } from '../inbound.ts';
import type { Push, PushedEvent, PushRequest, PushTrust } from '../push.ts';
import type { MessageContent, PlatformConversation } from '../inbox-types.ts';
import { LongId, readable, text, UnixTime, word } from '../shared/fields.ts';
import { introduced } from '../shared/inbox/backfill.ts';
import { unsupportedContent } from '../shared/inbox/content.ts';
import { pushedJson } from '../shared/rest.ts';
import { anonymousWith, fileOf, placeIn, readPerson } from './conversations.ts';

const SIGNATURE = 'x-zevent-signature';

const Text = z.union([z.string(), z.number().transform(String)]);
/** Limits for parsing before the signature is checked, which needs fields of the body; real events are far smaller. */
const UNSIGNED: JsonLimits = Object.freeze({ maxDepth: 32, maxValues: 2000 });

const Signed = z.object({ app_id: Text, timestamp: Text });

/** The signature is a plain SHA-256 (not an HMAC) of app id, body, time and the secret key of official accounts. */
function verify({ headers, body }: PushRequest, { settings, app }: PushTrust): boolean {
  const { ZALO_OA_SECRET: own } = settings;
  const signed = Signed.safeParse(pushedJson(body, true, UNSIGNED));
  if (!signed.success) return false;
  const { app_id, timestamp } = signed.data;
  return (own === undefined ? app : [own]).some((secret) => {
    const mac = createHash('sha256').update(app_id).update(body).update(timestamp).update(secret).digest('hex');
    return safeEqual(headers[SIGNATURE] ?? '', `mac=${mac}`);
  });
}

const Somebody = z.object({ id: LongId });
const File = z.object({
  type: word,
  payload: z.looseObject({ url: text, thumbnail: text, description: text, coordinates: z.unknown().optional() }),
});
const key = LongId.optional().catch(undefined);
const Message = z.object({
  msg_id: key,
  msg_ids: z.array(LongId).catch([]),
  text: word,
  attachments: z.array(z.unknown()).catch([]),
  quote_msg_id: key,
});
const Event = z.object({
  event_name: z.string(),
  sender: Somebody,
  recipient: Somebody,
  timestamp: UnixTime,
  message: z.preprocess((message) => message ?? {}, Message),
  /** The conversation of a web chat, whose visitors have no login. */
  conversation_id: key,
  button: z.object({ title: word, payload: z.unknown().optional() }).optional().catch(undefined),
  info: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
type Event = z.output<typeof Event>;

/** Events for taps that do not send a message. */
const TAPS: ReadonlySet<string> = new Set(['user_click_button', 'user_submit_info']);
const RECEIPTS: ReadonlyMap<string, 'delivered' | 'read'> = tableOf({
  user_received_message: 'delivered',
  user_seen_message: 'read',
});

function contentOf({ event_name, message }: Event): MessageContent {
  const { text: words, attachments: attached, quote_msg_id: reply_to } = message;
  const files = readable(File, attached);
  const place = placeIn(files.find(({ type }) => type === 'location')?.payload.coordinates);
  const card = event_name === 'user_send_business_card' ? files[0]?.payload : undefined;
  const text = words || (files.find(({ payload }) => payload.description)?.payload.description ?? place?.text ?? '');
  const attachments = files
    .filter(({ type }) => type !== 'template')
    .flatMap(({ type, payload }) => fileOf(type, payload.url ?? payload.thumbnail));
  if (text === '' && attachments.length === 0)
    return { ...unsupportedContent(event_name.replace(/^[a-z]+_send_/, '')), reply_to };
  return { text, attachments, reply_to, metadata: { ...place?.metadata, ...(card && { business_card: card }) } };
}

/** The event of a message by the person or by the account, even if it was sent outside Rostra. */
function messageIn(event: Event, direction: 'incoming' | 'outgoing'): InboundEvent | undefined {
  const { sender, recipient, message, timestamp: created_at, conversation_id } = event;
  const { msg_id: platform_id } = message;
  if (platform_id === undefined) return undefined;
  const { id } = direction === 'incoming' ? sender : recipient;
  const conversation = conversation_id === undefined ? conversationWith(id) : anonymousWith(id, conversation_id);
  return { kind: 'message', conversation, message: { platform_id, direction, created_at, ...contentOf(event) } };
}

const conversationWith = (id: string): PlatformConversation => ({ platform_id: id, participant: { id, name: '' } });

/** The event of a tap; its id is derived from person and time, as Zalo gives none. */
function tapIn({ event_name, sender, timestamp: at, button, info = {} }: Event): InboundEvent {
  const { title = '', payload = info } = button ?? {};
  return {
    kind: 'postback',
    conversation: conversationWith(sender.id),
    platform_id: `${event_name}:${sender.id}:${at}`,
    title,
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    at,
  };
}

/** Zalo's documentation disagrees on which side is the account, so both are tried; their ids never collide. */
function receiptsIn(status: 'delivered' | 'read', { sender, recipient, message, timestamp: at }: Event): PushedEvent[] {
  const message_ids = [...message.msg_ids, ...(message.msg_id === undefined ? [] : [message.msg_id])];
  const receipt = { kind: 'receipt', status, message_ids, at } as const;
  return [
    { user: sender.id, event: { ...receipt, conversation: recipient.id } },
    { user: recipient.id, event: { ...receipt, conversation: sender.id } },
  ];
}

/** Reads a push; follows, reactions, tags and groups are ignored, as the event catalogue has no events for them. */
function read({ body }: PushRequest): readonly PushedEvent[] {
  const { data: event } = Event.safeParse(pushedJson(body, true));
  if (event === undefined) return [];
  const { event_name: name, sender, recipient } = event;
  const status = RECEIPTS.get(name);
  if (status !== undefined) return receiptsIn(status, event);
  if (TAPS.has(name)) return [{ user: recipient.id, event: tapIn(event) }];
  const [, isTheirs, isOurs] = /^(?:((?:user|anonymous)_send_)|(oa_send_))/.exec(name) ?? [];
  if (isTheirs === undefined && isOurs === undefined) return [];
  const made = messageIn(event, isTheirs ? 'incoming' : 'outgoing');
  return made ? [{ user: isTheirs ? recipient.id : sender.id, event: made }] : [];
}

/** Reads a person's name and picture, which pushes omit. */
async function complete(call: AccountCall, event: InboundEvent): Promise<InboundEvent> {
  if (event.kind !== 'message' && event.kind !== 'postback') return event;
  return { ...event, conversation: await introduced(event.conversation, (person) => readPerson(call, person)) };
}

/** Zalo expects a response within 2 seconds, so pushes are only stored before it is sent. */
export const push: Push = { scope: 'app', verify, read, complete };
