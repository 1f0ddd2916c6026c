import * as z from 'zod';
import type { Bubble, BubbleRequest, Messages, SentMessage } from '../../messages.ts';
import type { PlatformConversation } from '../../records.ts';
import type { SendCall, SendState, SettleState } from '../../sending.ts';
import type { AccountCall } from '../../call.ts';
import { Id } from '../../graph/api.ts';
import { isSameText } from '../posts/drafts.ts';
import { secondOf } from '../../graph/fields.ts';
import { pageNamed } from '../accounts/places.ts';
import { contentOf } from '../../graph/templates.ts';
import { messageOf, THREAD_FIELDS, Threads } from '../../graph/conversations.ts';
import { asPage } from '../api.ts';
import { UPLOAD_DEADLINE_MS } from '../../shared/rest.ts';

const Sent = z.object({ message_id: Id, recipient_id: Id.optional() });
const Uploaded = z.object({ attachment_id: Id });

type AttachmentBubble = Extract<Bubble, { kind: 'attachment' }>;
/** Attachments uploaded before the send; invisible. */
type Plan = Readonly<{ attachment_id: string }> | null;

/** Messages of a page to people who wrote to it. Tags are not supported: outside the window Facebook refuses. */
export const messages = Object.freeze<Messages>({
  parts: Object.freeze({
    text: Object.freeze({ max: 1000, counting: 'chars' }),
    attachments: Object.freeze({
      kinds: Object.freeze(['image', 'video', 'audio', 'file'] as const),
      sources: Object.freeze(['media_id', 'url', 'platform_attachment_id'] as const),
      max_bytes: 25 * 1024 * 1024,
      captions: 'bubble',
    }),
    buttons: Object.freeze({ types: Object.freeze(['url', 'postback'] as const), text_max: 640 }),
    cards: Object.freeze({ max: 10 }),
    quick_replies: Object.freeze({ max: 13 }),
    reply_to: true,
  }),
  bubble: Object.freeze({ prepare, send, settle }),
  seen,
});

/** Stored files are uploaded first; Facebook fetches public URLs itself during the send. */
async function prepare(call: SendCall, { conversation, bubble }: BubbleRequest): Promise<Plan> {
  if (bubble.kind !== 'attachment' || bubble.platform_attachment_id !== undefined || bubble.url !== undefined) {
    return null;
  }
  const page = pageNamed(call, conversation.page_id);
  const opened = await call.open(bubble.media!.ref);
  const ask = {
    method: 'POST',
    path: '/{page}/message_attachments',
    ids: { page },
    form: { message: JSON.stringify({ attachment: { type: bubble.type, payload: { is_reusable: true } } }) },
    file: { name: 'filedata', filename: filenameOf(bubble), type: opened.content_type, bytes: await opened.bytes() },
  } as const;
  const { attachment_id } = await asPage(call, page, ask, Uploaded);
  return { attachment_id };
}

async function send(
  call: SendCall,
  { conversation, bubble }: BubbleRequest,
  { prepared: plan, correlationId }: SendState,
): Promise<SentMessage> {
  const body = {
    recipient: { id: conversation.platform_id },
    messaging_type: 'RESPONSE',
    message: { ...contentOf(bubble, (plan as Plan)?.attachment_id), metadata: correlationId },
    ...(bubble.reply_to !== undefined && { reply_to: { mid: bubble.reply_to } }),
  };
  const { message_id } = await sendMessage(call, pageNamed(call, conversation.page_id), body);
  return { message_id };
}

/** Calls the Send API as the page. Slow, because Facebook fetches the media of a message before it responds. */
export function sendMessage(call: AccountCall, page: string, json: Readonly<Record<string, unknown>>) {
  const to = { method: 'POST', path: '/{page}/messages', ids: { page } } as const;
  return asPage(call, page, { ...to, json, deadlineMs: UPLOAD_DEADLINE_MS }, Sent);
}

/**
 * Looks for the message in its conversation, which does not show our correlation id (only the echo does). The delay of
 * a conversation is undocumented, so a message that is not shown may still exist.
 */
async function settle(
  call: AccountCall,
  { conversation, bubble }: BubbleRequest,
  { sentAt, taken }: SettleState,
): Promise<SentMessage | 'unknown'> {
  const page = pageNamed(call, conversation.page_id);
  const query = { platform: 'messenger', user_id: conversation.platform_id, fields: THREAD_FIELDS, limit: 1 };
  const ask = { method: 'GET', path: '/{page}/conversations', ids: { page }, query } as const;
  const { data } = await asPage(call, page, ask, Threads);
  const [found, another] = data
    .flatMap((thread) => thread.messages.data)
    .map((message) => messageOf(message, page))
    .filter(({ direction, platform_id }) => direction === 'outgoing' && !taken.has(platform_id))
    .filter((message) => looksLike(bubble, sentAt, message));
  if (found === undefined || another !== undefined) return 'unknown';
  return { message_id: found.platform_id, created_at: found.created_at };
}

/**
 * Attachments look alike, and others of the same message may precede: only one of a later second is certainly none of
 * those. Templates are not shown as they were sent.
 */
function looksLike(bubble: Bubble, sentAt: number, message: ReturnType<typeof messageOf>): boolean {
  const { created_at: at, text, attachments } = message;
  if (bubble.kind === 'text') return at >= secondOf(sentAt) && isSameText(text, bubble.text);
  if (bubble.kind === 'cards') return false;
  return at > sentAt && attachments.length === 1 && attachments[0]?.type === bubble.type;
}

async function seen(call: AccountCall, conversation: PlatformConversation): Promise<void> {
  const page = pageNamed(call, conversation.page_id);
  const json = { recipient: { id: conversation.platform_id }, sender_action: 'mark_seen' };
  await asPage(call, page, { method: 'POST', path: '/{page}/messages', ids: { page }, json }, z.object({}));
}

/** File names are visible; characters that would end the header are removed. */
function filenameOf({ type, media }: AttachmentBubble): string {
  const name = (media?.filename ?? '').toWellFormed().replaceAll(/[\p{Cc}"\\/]/gu, '_');
  return name || type;
}
