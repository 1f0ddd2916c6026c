import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import type { InboundEvent } from '../inbound.ts';
import type { CommentAt } from '../interactions.ts';
import type { Push } from '../push.ts';
import type { Attachment, Person, PlatformComment, PlatformConversation, PlatformMention } from '../records.ts';
import type { Messenger } from './messaging.ts';
import type { Pushing } from './push.ts';
import { Key, msOf } from './push-values.ts';
import { text } from '../shared/fields.ts';
import { introduced } from '../shared/inbox/backfill.ts';

const Party = z.object({ id: Key });
const Referral = z.record(z.string(), z.unknown()).optional().catch(undefined);

const Attached = z.object({
  type: z.string().catch('file'),
  title: text,
  url: text,
  payload: z
    .object({
      url: text,
      text,
      elements: z.array(z.object({ title: text })).catch([]),
      coordinates: z.record(z.string(), z.unknown()).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

const Message = z.object({
  mid: Key,
  text: z.string().catch(''),
  is_echo: z.boolean().catch(false),
  is_deleted: z.boolean().catch(false),
  metadata: text,
  attachments: z.array(Attached).catch([]),
  quick_reply: z.object({ payload: text }).optional().catch(undefined),
  reply_to: z.object({ mid: Key }).optional().catch(undefined),
  referral: Referral,
});
type Message = z.output<typeof Message>;

const Postback = z.object({
  mid: Key.optional().catch(undefined),
  title: z.string().catch(''),
  payload: z.string().catch(''),
  referral: Referral,
});
const Receipt = z.object({
  mid: Key.optional().catch(undefined),
  mids: z.array(Key).catch([]),
  watermark: z.number().optional().catch(undefined),
});

/** One messaging event between a person and the page; its member names the kind. */
const Happening = z.object({
  sender: Party,
  recipient: Party,
  timestamp: z.number().optional().catch(undefined),
  message: Message.optional().catch(undefined),
  postback: Postback.optional().catch(undefined),
  referral: Referral,
  delivery: Receipt.optional().catch(undefined),
  read: Receipt.optional().catch(undefined),
});

type Scene = Readonly<{ conversation: PlatformConversation; at: number }>;

/** The inbound event of an element of `messaging`; undefined if the inbox does not store it. */
export function messagingEvent(
  value: unknown,
  { owner, at: pushedAt }: Pushing,
  page_id: string | undefined,
): InboundEvent | undefined {
  const parsed = Happening.safeParse(value);
  if (!parsed.success) return undefined;
  const { sender, recipient, timestamp, message, postback, referral, delivery, read } = parsed.data;
  const at = msOf(timestamp) ?? pushedAt;
  const person = sender.id === owner || message?.is_echo ? recipient.id : sender.id;
  if (at === undefined || person === owner) return undefined;
  const scene = {
    conversation: {
      platform_id: person,
      ...(page_id !== undefined && { page_id }),
      participant: { id: person, name: '' },
    },
    at,
  };
  if (message) return messageEvent(message, scene, message.is_echo || sender.id === owner);
  if (postback) return postbackEvent(postback, scene);
  if (referral) return { kind: 'referral', ...scene, platform_id: nameOf('referral', scene), referral };
  if (delivery) return receiptEvent('delivered', delivery, scene);
  return read && receiptEvent('read', read, scene);
}

function messageEvent(message: Message, { conversation, at }: Scene, isOwn: boolean): InboundEvent {
  if (message.is_deleted) return { kind: 'message_gone', platform_id: message.mid };
  const { quick_reply, referral, metadata: correlationId } = message;
  const place = message.attachments.find(({ payload }) => payload?.coordinates)?.payload?.coordinates;
  return {
    kind: 'message',
    conversation,
    message: {
      platform_id: message.mid,
      direction: isOwn ? 'outgoing' : 'incoming',
      text: message.text || saidIn(message),
      attachments: attachmentsOf(message),
      created_at: at,
      reply_to: message.reply_to?.mid,
      ...(isOwn && { correlation_id: correlationId }),
      metadata: {
        ...(referral && { referral }),
        // A tapped quick reply is a message and also emits an event of its own.
        ...(quick_reply && { quick_reply: { payload: quick_reply.payload ?? '' } }),
        ...(place && { location: place }),
      },
    },
  };
}

function postbackEvent({ mid, title, payload, referral }: z.output<typeof Postback>, scene: Scene): InboundEvent {
  const metadata = referral ? { referral } : {};
  return { kind: 'postback', ...scene, platform_id: mid ?? nameOf('postback', scene), title, payload, metadata };
}

function receiptEvent(
  status: 'delivered' | 'read',
  { mid, mids: several, watermark }: z.output<typeof Receipt>,
  { conversation, at }: Scene,
): InboundEvent | undefined {
  const mids = mid === undefined ? several : [mid, ...several];
  if (mids.length === 0 && watermark === undefined) return undefined;
  return {
    kind: 'receipt',
    status,
    conversation: conversation.platform_id,
    ...(mids.length > 0 && { message_ids: mids }),
    watermark,
    at,
  };
}

/** A derived id for events without one: person and time, so that a redelivery has the same id. */
function nameOf(what: string, { conversation, at }: Scene): string {
  return `${what}:${conversation.platform_id}:${at}`;
}

/** The text of a template, because its echo has no text. */
function saidIn({ attachments }: Message): string {
  const template = attachments.find(({ type }) => type === 'template' || type === 'fallback');
  return template?.payload?.text ?? template?.payload?.elements[0]?.title ?? template?.title ?? '';
}

function attachmentsOf({ attachments }: Message): readonly Attachment[] {
  return attachments.flatMap(({ type, url, payload }) => {
    const address = payload?.url ?? url;
    return address === undefined ? [] : [{ type, url: address }];
  });
}

const Profile = z.object({ name: text, first_name: text, last_name: text, username: text, profile_pic: text });

type Completing = Readonly<{
  /** Reads the current state of a comment. */
  comment?(call: AccountCall, place: CommentAt): Promise<PlatformComment>;
  mention?(call: AccountCall, reported: PlatformMention): Promise<PlatformMention>;
  /** How people who wrote are asked for, and the fields of their profiles. */
  people?: Readonly<{ messenger: Messenger; fields: string }>;
}>;

/** Makes the function that reads what pushes omit: of comments, of mentions, and of people who wrote. */
export function completing({ comment, mention, people }: Completing): NonNullable<Push['complete']> {
  async function wholeComment(call: AccountCall, reported: PlatformComment): Promise<PlatformComment> {
    const { platform_id, platform_post_id: post, page_id: page, author, is_owner } = reported;
    const found = await comment!(call, { comment: platform_id, post, page });
    return { ...found, author: better(found.author, author), is_owner: is_owner || found.is_owner };
  }

  async function profileOf(call: AccountCall, page: string | undefined, person: string) {
    const { messenger, fields } = people!;
    const ask = { method: 'GET', path: '/{person}', ids: { person }, query: { fields } } as const;
    const found = await messenger.request(call, messenger.ownerOf(call, page), ask, Profile);
    const { first_name, last_name, username, profile_pic: avatar_url } = found;
    const parts = [first_name, last_name].filter((part) => part !== undefined).join(' ');
    return { name: found.name ?? (parts || (username ?? '')), username, avatar_url };
  }

  return async function complete(call, event) {
    switch (event.kind) {
      case 'comment':
        return comment ? { ...event, comment: await wholeComment(call, event.comment) } : event;
      case 'mention':
        return mention ? { ...event, mention: await mention(call, event.mention) } : event;
      case 'message':
      case 'postback':
      case 'referral': {
        const { conversation } = event;
        if (people === undefined) return event;
        const read = (person: string) => profileOf(call, conversation.page_id, person);
        return { ...event, conversation: await introduced(conversation, read) };
      }
      default:
        return event;
    }
  };
}

/** What is known of a person; Graph does not always name one whom the push has named. */
export function better(found: Person, reported: Person): Person {
  return found.id === '' ? reported : { ...reported, ...found };
}
