import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import type { InboundEvent } from '../inbound.ts';
import type { CommentAt } from '../interactions.ts';
import type { Push } from '../push.ts';
import type { Person, PlatformComment, PlatformConversation, PlatformMention } from '../inbox-types.ts';
import { Answered, Attached, contentIn, emojiOf, Reaction } from './messages/content.ts';
import { Flag, maybePushedId, PushedId } from './fields.ts';
import type { Messenger } from './messaging.ts';
import type { Pushing } from './push.ts';
import { maybeTime, text } from '../shared/fields.ts';
import { introduced } from '../shared/inbox/backfill.ts';

const Party = z.object({ id: PushedId });
const Referral = z.record(z.string(), z.unknown()).optional().catch(undefined);

const Message = z.object({
  mid: PushedId,
  text: z.string().catch(''),
  is_echo: Flag,
  is_deleted: Flag,
  is_unsupported: Flag,
  metadata: text,
  attachments: z.array(Attached).catch([]),
  quick_reply: z.object({ payload: text }).optional().catch(undefined),
  reply_to: Answered,
  commands: z.array(z.object({ name: z.string() })).catch([]),
  referral: Referral,
});
type Message = z.output<typeof Message>;

const Postback = z.object({
  mid: maybePushedId,
  title: z.string().catch(''),
  payload: z.string().catch(''),
  referral: Referral,
});
const Receipt = z.object({
  mid: maybePushedId,
  mids: z.array(PushedId).catch([]),
  watermark: z.number().optional().catch(undefined),
});

/** The first real edit has number 1; some new messages are announced as edit 0, without their text. */
const Edit = z.object({ mid: PushedId, text: z.string(), num_edit: z.coerce.number().catch(1) });
const Reacted = Reaction.extend({ mid: PushedId, action: z.string() });

/** A messaging event between a person and the page; its kind is the name of the member that is present. */
const Happening = z.object({
  sender: Party,
  recipient: Party,
  timestamp: maybeTime,
  message: Message.optional().catch(undefined),
  message_edit: Edit.optional().catch(undefined),
  reaction: Reacted.optional().catch(undefined),
  postback: Postback.optional().catch(undefined),
  referral: Referral,
  delivery: Receipt.optional().catch(undefined),
  read: Receipt.optional().catch(undefined),
});

type Happened = Omit<z.output<typeof Happening>, 'sender' | 'recipient' | 'timestamp'>;
type Scene = Readonly<{ conversation: PlatformConversation; at: number; isOwn: boolean }>;

/** Maps an element of `messaging`; undefined if the inbox does not store it. */
export function messagingEvent(
  value: unknown,
  { owner, at: pushedAt }: Pushing,
  page_id: string | undefined,
): InboundEvent | undefined {
  const parsed = Happening.safeParse(value);
  if (!parsed.success) return undefined;
  const { sender, recipient, timestamp, ...happening } = parsed.data;
  const at = timestamp ?? pushedAt;
  const isOwn = sender.id === owner || happening.message?.is_echo === true;
  const person = isOwn ? recipient.id : sender.id;
  if (at === undefined || person === owner) return undefined;
  const participant = { id: person, name: '' };
  const conversation = { platform_id: person, ...(page_id !== undefined && { page_id }), participant };
  return eventOf(happening, { conversation, at, isOwn });
}

function eventOf(
  { message, message_edit, reaction, postback, referral, delivery, read }: Happened,
  scene: Scene,
): InboundEvent | undefined {
  const { conversation, at } = scene;
  if (message) return messageEvent(message, scene);
  if (message_edit) return editEvent(message_edit, scene);
  if (reaction) return reactionEvent(reaction, scene);
  if (postback) return postbackEvent(postback, scene);
  if (referral) return { kind: 'referral', conversation, at, platform_id: nameOf('referral', scene), referral };
  if (delivery) return receiptEvent('delivered', delivery, scene);
  return read && receiptEvent('read', read, scene);
}

function messageEvent(message: Message, { conversation, at, isOwn }: Scene): InboundEvent {
  if (message.is_deleted) return { kind: 'message_gone', platform_id: message.mid };
  const { quick_reply, referral, metadata: correlationId, attachments: attached, reply_to, commands } = message;
  const words = message.text || commands.map(({ name }) => `/${name}`).join(' ');
  const story = reply_to?.story;
  const content = contentIn({ text: words, attached, story, isUnsupported: message.is_unsupported });
  return {
    kind: 'message',
    conversation,
    message: {
      platform_id: message.mid,
      direction: isOwn ? 'outgoing' : 'incoming',
      ...content,
      created_at: at,
      reply_to: reply_to?.mid,
      ...(isOwn && { correlation_id: correlationId }),
      metadata: {
        ...(referral && { referral }),
        // A tapped quick reply is a message that also emits an additional event.
        ...(quick_reply && { quick_reply: { payload: quick_reply.payload ?? '' } }),
        ...content.metadata,
      },
    },
  };
}

function editEvent({ mid, text: words, num_edit }: z.output<typeof Edit>, { at }: Scene): InboundEvent | undefined {
  return num_edit === 0 ? undefined : { kind: 'message_edited', platform_id: mid, content: { text: words }, at };
}

function reactionEvent({ mid, action, ...reaction }: z.output<typeof Reacted>, scene: Scene): InboundEvent {
  return {
    kind: 'reaction',
    conversation: scene.conversation.platform_id,
    message: mid,
    direction: scene.isOwn ? 'outgoing' : 'incoming',
    emojis: action === 'unreact' ? [] : [emojiOf(reaction)].filter(Boolean),
    at: scene.at,
  };
}

function postbackEvent({ mid, title, payload, referral }: z.output<typeof Postback>, scene: Scene): InboundEvent {
  const { conversation, at } = scene;
  const metadata = referral ? { referral } : {};
  const platform_id = mid ?? nameOf('postback', scene);
  return { kind: 'postback', conversation, at, platform_id, title, payload, metadata };
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

/** An id derived from person and time, so that an event delivered twice has the same id. */
function nameOf(what: string, { conversation, at }: Scene): string {
  return `${what}:${conversation.platform_id}:${at}`;
}

const Profile = z.object({ name: text, first_name: text, last_name: text, username: text, profile_pic: text });

type Completing = Readonly<{
  comment?(call: AccountCall, location: CommentAt): Promise<PlatformComment>;
  mention?(call: AccountCall, reported: PlatformMention): Promise<PlatformMention>;
  /** How to look up the senders of messages, and which profile fields to request. */
  people?: Readonly<{ messenger: Messenger; fields: string }>;
}>;

/** Reads what pushes omit: details of comments and mentions, and profiles of senders. */
export function completing({ comment, mention, people }: Completing): NonNullable<Push['complete']> {
  async function wholeComment(call: AccountCall, reported: PlatformComment): Promise<PlatformComment> {
    const { platform_id, platform_post_id: post, page_id: page } = reported;
    const found = await comment!(call, { comment: platform_id, post, page });
    return {
      ...found,
      author: better(found.author, reported.author),
      is_owner: reported.is_owner || found.is_owner,
      text: found.text || reported.text,
      media: found.media.length > 0 ? found.media : reported.media,
    };
  }

  async function profileOf(call: AccountCall, page: string | undefined, person: string) {
    const { messenger, fields } = people!;
    const request = { method: 'GET', path: '/{person}', ids: { person }, query: { fields } } as const;
    const found = await messenger.request(call, messenger.ownerOf(call, page), request, Profile);
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

/** Combines what a lookup and a push know of a person, as Graph may omit a person or an id that the push has. */
export function better(found: Person, reported: Person): Person {
  if (found.id === '') return reported;
  // If a push names a person only by username, that serves as id until the real id is known.
  const isNamed = reported.id !== '' && reported.id !== reported.username;
  return { ...reported, ...found, id: isNamed ? reported.id : found.id };
}
