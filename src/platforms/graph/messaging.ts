import * as z from 'zod';
import { DAY } from '#kernel/clock.ts';
import type { AccountCall } from '../call.ts';
import type { InboundEvent } from '../inbound.ts';
import type { Bubble, BubbleRequest, MessageParts, Messages, SentMessage } from '../messages.ts';
import type { PlatformConversation } from '../inbox-types.ts';
import type { SendCall, SendState, SettleState } from '../sending.ts';
import { unlessRefused } from '../shared/errors.ts';
import { UPLOAD_DEADLINE_MS } from '../shared/rest.ts';
import { isSameText, onlyMatch, secondOf } from '../shared/settle.ts';
import { cursorOf, type GraphRequest, Id } from './api.ts';
import {
  conversationOf,
  HISTORY_FIELDS,
  messageOf,
  reactionsTo,
  THREAD_FIELDS,
  Threads,
} from './messages/conversations.ts';
import { contentOf } from './templates.ts';

/** How long an attachment's URL works for the platform. */
const LINK_MINUTES = 60;

const Sent = z.object({ message_id: Id, recipient_id: Id.optional() });
const Uploaded = z.object({ attachment_id: Id });

type AttachmentBubble = Extract<Bubble, { kind: 'attachment' }>;
/** The attachment uploaded before the send, which nobody can see yet; null if none is needed. */
type Plan = Readonly<{ attachment_id: string }> | null;

/** How a platform accesses the Send API and conversations. */
export type Messenger = Readonly<{
  platform: 'messenger' | 'instagram';
  /** The page or account that owns a conversation; `page_id` is the conversation's page, if it has one. */
  ownerOf(call: AccountCall, page_id: string | undefined): string;
  /** The owner's id within conversations, if it differs from the id in requests. */
  selfOf?(call: AccountCall): string;
  /** Whether conversations name their page, as they do for accounts with several pages. */
  hasPages: boolean;
  /** Whether messages can carry our correlation id, which the platform's echo then returns. */
  hasMarks: boolean;
  request<T extends z.ZodType>(
    call: AccountCall,
    owner: string,
    request: GraphRequest,
    schema: T,
  ): Promise<z.output<T>>;
}>;

/** The message parts that all platforms of the Send API support; their text limits differ. */
export const MESSAGE_PARTS = Object.freeze({
  attachments: Object.freeze({
    kinds: Object.freeze(['image', 'video', 'audio', 'file'] as const),
    sources: Object.freeze(['media_id', 'url', 'platform_attachment_id'] as const),
    max_bytes: 25 * 1024 * 1024,
    max_image_bytes: 8 * 1024 * 1024,
    captions: 'bubble',
  }),
  buttons: Object.freeze({ types: Object.freeze(['url', 'postback'] as const), text_max: 640 }),
  cards: Object.freeze({ max: 10 }),
  quick_replies: Object.freeze({ max: 13 }),
  reply_to: true,
  window: Object.freeze({ ms: DAY }),
} satisfies Omit<MessageParts, 'text'>);

export function graphMessages(messenger: Messenger, parts: MessageParts): Messages {
  const { platform, ownerOf, selfOf, hasMarks, request } = messenger;
  const pulls = parts.attachments?.pulls === true;

  /** Stored files are uploaded first, unless the platform fetches them; public URLs are always fetched. */
  async function prepare(call: SendCall, { conversation, bubble }: BubbleRequest): Promise<Plan> {
    if (pulls || bubble.kind !== 'attachment') return null;
    if (bubble.platform_attachment_id !== undefined || bubble.url !== undefined) return null;
    const owner = ownerOf(call, conversation.page_id);
    const opened = await call.open(bubble.media!.ref);
    const options = {
      method: 'POST',
      path: '/{owner}/message_attachments',
      ids: { owner },
      form: { message: JSON.stringify({ attachment: { type: bubble.type, payload: { is_reusable: true } } }) },
      file: { name: 'filedata', filename: filenameOf(bubble), type: opened.content_type, bytes: await opened.bytes() },
    } as const;
    const { attachment_id } = await request(call, owner, options, Uploaded);
    return { attachment_id };
  }

  async function send(
    call: SendCall,
    { conversation, bubble, tag }: BubbleRequest,
    { prepared: plan, correlationId }: SendState,
  ): Promise<SentMessage> {
    const stored = pulls && bubble.kind === 'attachment' && bubble.url === undefined ? bubble.media : undefined;
    const file = stored ? { url: await call.link(stored.ref, { minutes: LINK_MINUTES }) } : (plan as Plan);
    const body = {
      recipient: { id: conversation.platform_id },
      ...(tag === undefined ? { messaging_type: 'RESPONSE' } : { messaging_type: 'MESSAGE_TAG', tag }),
      message: { ...contentOf(bubble, file), ...(hasMarks && { metadata: correlationId }) },
      ...(bubble.reply_to !== undefined && { reply_to: { mid: bubble.reply_to } }),
    };
    const { message_id } = await sendMessage(messenger, call, ownerOf(call, conversation.page_id), body);
    return { message_id };
  }

  /** Looks for a message in its conversation, which has no correlation ids; if not found, it may still exist. */
  async function settle(
    call: AccountCall,
    { conversation, bubble }: BubbleRequest,
    { sentAt, taken }: SettleState,
  ): Promise<SentMessage | 'unknown'> {
    const owner = ownerOf(call, conversation.page_id);
    const self = selfOf?.(call) ?? owner;
    const query = { platform, user_id: conversation.platform_id, fields: THREAD_FIELDS[platform], limit: 1 };
    const { data } = await request(call, owner, conversationsRequest(owner, query), Threads);
    const found = onlyMatch(
      data.flatMap(({ messages }) => messages).map((message) => messageOf(message, self)),
      (message) =>
        message.direction === 'outgoing' && !taken.has(message.platform_id) && looksLike(bubble, sentAt, message),
    );
    return found === 'unknown' ? found : { message_id: found.platform_id, created_at: found.created_at };
  }

  async function seen(call: AccountCall, conversation: PlatformConversation): Promise<void> {
    const owner = ownerOf(call, conversation.page_id);
    const json = { recipient: { id: conversation.platform_id }, sender_action: 'mark_seen' };
    await request(call, owner, { method: 'POST', path: '/{owner}/messages', ids: { owner }, json }, z.object({}));
  }

  return Object.freeze<Messages>({ parts, bubble: Object.freeze({ prepare, send, settle }), seen });
}

/** Calls the Send API with a long deadline, because it fetches media before it responds. */
export function sendMessage(
  { request }: Messenger,
  call: AccountCall,
  owner: string,
  json: Readonly<Record<string, unknown>>,
) {
  const to = { method: 'POST', path: '/{owner}/messages', ids: { owner } } as const;
  return request(call, owner, { ...to, json, deadlineMs: UPLOAD_DEADLINE_MS }, Sent);
}

/** Reads conversations with their newest messages for the backfill, the oldest message first. */
export async function readConversations(
  messenger: Messenger,
  call: AccountCall,
  owner: string,
  { limit, after }: Readonly<{ limit: number; after?: string | undefined }>,
) {
  const { platform, hasPages } = messenger;
  const self = messenger.selfOf?.(call) ?? owner;
  const read = (fields: string) =>
    messenger.request(call, owner, conversationsRequest(owner, { platform, fields, limit, after }), Threads);
  const list =
    (await unlessRefused(read(HISTORY_FIELDS[platform]), 'invalid_request')) ?? (await read(THREAD_FIELDS[platform]));
  const events = list.data.flatMap((thread) => {
    const conversation = conversationOf(thread, self, hasPages);
    if (conversation === undefined) return [];
    return thread.messages
      .toReversed()
      .flatMap((each): readonly InboundEvent[] => [
        { kind: 'message', conversation, message: messageOf(each, self) },
        ...reactionsTo(each, conversation.platform_id, self),
      ]);
  });
  return { events, after: cursorOf(list) };
}

export function conversationsRequest(owner: string, query: NonNullable<GraphRequest['query']>): GraphRequest {
  return { method: 'GET', path: '/{owner}/conversations', ids: { owner }, query };
}

/** Whether a message may be the sent one. Attachments look alike, so they must be later; cards never match. */
function looksLike(bubble: Bubble, sentAt: number, message: ReturnType<typeof messageOf>): boolean {
  const { created_at: at, text, attachments } = message;
  if (bubble.kind === 'text') return at >= secondOf(sentAt) && isSameText(text, bubble.text);
  if (bubble.kind === 'cards') return false;
  return at > sentAt && attachments.length === 1 && attachments[0]?.type === bubble.type;
}

/** A name for a file, which recipients see; characters that would break the header are replaced. */
function filenameOf({ type, media }: AttachmentBubble): string {
  const name = (media?.filename ?? '').toWellFormed().replaceAll(/[\p{Cc}"\\/]/gu, '_');
  return name || type;
}
