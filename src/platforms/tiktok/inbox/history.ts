import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import type { Inbox, InboundEvent } from '../../inbound.ts';
import type { MessageAttachment, MessageContent, Person, PlatformMessage } from '../../inbox-types.ts';
import { backfillBy, postEventsOf } from '../../shared/inbox/backfill.ts';
import { unsupportedContent } from '../../shared/inbox/content.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { LongId, maybeId, readable, text, UnixTime, word } from '../../shared/fields.ts';
import { listIn, readBusiness, sessionOf } from '../api.ts';
import { listBusiness } from '../posts/reads.ts';

/** TikTok lists only the newest messages of a conversation. */
export const MOST_MESSAGES = 20;
const PER_PAGE = 20;
/** How many pages of conversations and of posts are read at most. */
const MOST_PAGES = 10;

const part = <T extends z.ZodRawShape>(shape: T) => z.object(shape).optional().catch(undefined);

/** A message as lists and pushes have it; a person has the same id as in comments. */
export const Message = z.object({
  message_id: LongId,
  conversation_id: maybeId,
  timestamp: UnixTime,
  /** The type is in `type` in pushes and in `message_type` in lists. */
  type: text,
  message_type: text,
  from_user: part({ id: LongId }),
  to_user: part({ id: LongId }),
  text: part({ body: word }),
  image: part({ media_id: LongId }),
  video: part({ media_id: LongId }),
  sticker: part({ url: z.string() }),
  emoji: part({ url: z.string() }),
  share_post: part({ embed_url: z.string() }),
  template: part({
    title: text,
    elements: z
      .array(z.object({ title: text }))
      .catch([])
      .default([]),
  }),
  referenced_message_info: part({ referenced_message_id: LongId }),
  /** The payload of the button that the person tapped. */
  reply_source_payload: part({ reply_source_unique_id: word }),
});
export type Message = z.output<typeof Message>;

/** The parts that a download needs: conversation, message, file and, for a video, the type. */
const Ref = z.tuple([z.string(), z.string(), z.string(), z.literal('VIDEO').optional()]);

export function refParts(ref: string) {
  const [conversation_id, message_id, media_id, media_type = 'IMAGE'] = Ref.parse(JSON.parse(ref));
  return { conversation_id, message_id, media_id, media_type };
}

/** The files of a message. Images and videos can only be read with the login; stickers and emojis have URLs. */
function attachmentsOf(one: Message, conversation: string): readonly MessageAttachment[] {
  const { image, video, sticker = one.emoji, share_post } = one;
  const refOf = (...file: readonly string[]) => JSON.stringify([conversation, one.message_id, ...file]);
  if (image) return [{ type: 'image', ref: refOf(image.media_id) }];
  if (video) return [{ type: 'video', ref: refOf(video.media_id, 'VIDEO') }];
  if (sticker) return [{ type: 'image', url: sticker.url }];
  return share_post ? [{ type: 'link', url: share_post.embed_url }] : [];
}

export function personOf({ from_user, to_user }: Pick<Message, 'from_user' | 'to_user'>, account: string) {
  const person = from_user?.id === account ? to_user : from_user;
  return person && { id: person.id, name: '' };
}

/** The text and files of a message; for some types TikTok returns neither. */
function contentOf(one: Message, conversation: string): MessageContent {
  const { type = 'unknown', message_type = type } = one;
  const { title = '', elements: [card] = [] } = one.template ?? {};
  const words = one.text?.body ?? (title || (card?.title ?? ''));
  const attachments = attachmentsOf(one, conversation);
  const isBlank = words === '' && attachments.length === 0;
  return isBlank ? unsupportedContent(message_type.toLowerCase()) : { text: words, attachments };
}

export function messageOf(one: Message, conversation: string, account: string): PlatformMessage {
  const isOurs = one.from_user?.id === account;
  const { reply_source_unique_id: payload = '' } = one.reply_source_payload ?? {};
  const content = contentOf(one, conversation);
  return {
    platform_id: one.message_id,
    direction: isOurs ? 'outgoing' : 'incoming',
    ...content,
    created_at: one.timestamp,
    reply_to: one.referenced_message_info?.referenced_message_id,
    ...(isOurs && { status: 'sent' }),
    ...(payload !== '' && { metadata: { ...content.metadata, quick_reply: { payload } } }),
  };
}

const Content = z.object({ messages: z.array(z.unknown()).catch([]), participants: z.array(z.unknown()).catch([]) });
const Participant = z
  .object({ id: LongId, display_name: word, username: text, profile_image: text })
  .transform(({ id, display_name, username, profile_image }): Person => {
    return { id, name: display_name || (username ?? ''), username, avatar_url: profile_image };
  });

/** The newest messages of a conversation, newest first, and the person in it. `isWhole`: every entry was read. */
export async function readConversation(call: AccountCall, conversation_id: string) {
  const { messages, participants } = await readBusiness(call, '/business/message/content/list/', Content, {
    conversation_id,
  });
  const { open_id: account } = sessionOf(call.session);
  const listed = readable(Message, messages).toSorted((one, other) => other.timestamp - one.timestamp);
  const [someone] = listed.flatMap((one) => personOf(one, account) ?? []);
  const person = readable(Participant, participants).find(({ id }) => id !== account) ?? someone;
  const isWhole = listed.length === messages.length;
  return { messages: listed.map((one) => messageOf(one, conversation_id, account)), person, isWhole };
}

async function eventsOf(call: AccountCall, platform_id: string): Promise<readonly InboundEvent[]> {
  const { messages, person: participant } = (await unlessRefused(readConversation(call, platform_id))) ?? {
    messages: [],
  };
  if (participant === undefined) return [];
  return messages.map((message) => ({ kind: 'message', conversation: { platform_id, participant }, message }));
}

async function postsFrom(call: AccountCall, cursor: string | undefined) {
  const { posts, cursor: after } = await listBusiness(call, { limit: PER_PAGE, cursor });
  return { events: postEventsOf(posts), after };
}

async function conversationsFrom(call: AccountCall, conversation_type: string, cursor: string | undefined) {
  const query = { conversation_type, limit: PER_PAGE, cursor };
  const found = await readBusiness(call, '/business/message/conversation/list/', listIn('conversations'), query);
  const events: InboundEvent[] = [];
  for (const { conversation_id } of readable(z.object({ conversation_id: LongId }), found.items))
    events.push(...(await eventsOf(call, conversation_id)));
  return { events, after: found.cursor };
}

/** Backfills posts with counts, then the conversations of 90 days, message requests last. */
const history = backfillBy(() => [
  { name: 'posts', reads: MOST_PAGES, read: postsFrom },
  { name: 'conversations', reads: MOST_PAGES, read: (call, after) => conversationsFrom(call, 'SINGLE', after) },
  { name: 'requests', reads: MOST_PAGES, read: (call, after) => conversationsFrom(call, 'STRANGER', after) },
]);

export const inbox: Inbox = { history };
