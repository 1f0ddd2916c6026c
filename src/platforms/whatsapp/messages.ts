import * as z from 'zod';
import { DAY } from '#kernel/clock.ts';
import type { AccountCall } from '../call.ts';
import { Id, Success } from '../graph/api.ts';
import type { AttachmentLocation, Bubble, BubbleRequest, Messages, SentMessage } from '../messages.ts';
import type { PlatformConversation } from '../inbox-types.ts';
import type { SendCall, SendState } from '../sending.ts';
import { unfit } from '../shared/errors.ts';
import { path } from '../shared/rest.ts';
import { asAccount } from './api.ts';
import { recipientOf } from './people.ts';
import { sendMessage } from './send.ts';
import { sessionOf } from './session.ts';

const MiB = 1024 * 1024;

type AttachmentBubble = Extract<Bubble, { kind: 'attachment' }>;
type TextBubble = Extract<Bubble, { kind: 'text' }>;

/** WhatsApp's names and size limits for kinds of attachments. */
const KINDS = Object.freeze({
  image: { type: 'image', max: 5 * MiB },
  video: { type: 'video', max: 16 * MiB },
  audio: { type: 'audio', max: 16 * MiB },
  file: { type: 'document', max: 100 * MiB },
});
const STICKER = 'image/webp';

const Uploaded = z.object({ id: Id });
const Located = z.object({ url: z.url(), mime_type: z.string().optional().catch(undefined) });
/** A file uploaded before the send, which nobody can see yet; null if none is needed. */
type Plan = Readonly<{ id: string; type: string }> | null;

/** Stored files are uploaded first; WhatsApp fetches public URLs itself. */
async function prepare(call: SendCall, { bubble }: BubbleRequest): Promise<Plan> {
  if (bubble.kind !== 'attachment') return null;
  const { type: kind, media, caption, platform_attachment_id, url } = bubble;
  if (kind === 'audio' && caption !== undefined) throw unfit('WhatsApp shows no caption with audio; send it as text.');
  if (platform_attachment_id !== undefined || url !== undefined) return null;
  const { type, max } = KINDS[kind];
  const { size, content_type, stream } = await call.open(media!.ref);
  if (size > max) throw unfit(`WhatsApp accepts ${kind}s of at most ${max} bytes (${size}).`);
  const form = { messaging_product: 'whatsapp', type: content_type };
  const bytes = { length: size, open: () => stream() };
  const file = { name: 'file', filename: filenameOf(bubble) ?? kind, type: content_type, bytes };
  const { id } = await asAccount(call, { method: 'POST', path: '/{number}/media', form, file }, Uploaded);
  return { id, type: content_type === STICKER && caption === undefined ? 'sticker' : type };
}

async function send(call: SendCall, { conversation, bubble }: BubbleRequest, state: SendState): Promise<SentMessage> {
  const content = contentOf(bubble, state.prepared as Plan);
  const { message_id } = await sendMessage(call, recipientOf(conversation), content, state);
  return { message_id };
}

function contentOf(bubble: Bubble, uploaded: Plan) {
  switch (bubble.kind) {
    case 'text':
      return textOf(bubble);
    case 'attachment':
      return attachmentOf(bubble, uploaded);
    case 'cards':
      throw unfit('WhatsApp has no cards.');
  }
}

function attachmentOf(bubble: AttachmentBubble, uploaded: Plan) {
  const { platform_attachment_id: known, url, caption, voice, type: kind } = bubble;
  const { type } = uploaded ?? KINDS[kind];
  const id = known ?? uploaded?.id;
  const source = id === undefined ? { link: url } : { id };
  const filename = kind === 'file' ? filenameOf(bubble) : undefined;
  return { type, [type]: { ...source, caption: caption?.toWellFormed(), filename, ...(voice && { voice }) } };
}

function textOf({ text: words, buttons, quick_replies, list }: TextBubble) {
  const text = words.toWellFormed();
  if (list !== undefined) {
    const sections = list.sections.map(({ title, rows }) => ({ title, rows }));
    return interactive('list', text, { button: list.button, sections });
  }
  const taps = [...(buttons ?? []), ...(quick_replies ?? [])];
  if (taps.length === 0) return { type: 'text', text: { body: text, preview_url: true } };
  const reply = taps.map(({ title, payload = title }) => ({ type: 'reply', reply: { id: payload, title } }));
  return interactive('button', text, { buttons: reply });
}

const interactive = (type: 'button' | 'list', text: string, action: object) => ({
  type: 'interactive',
  interactive: { type, body: { text }, action },
});

/** A name for a file, which recipients see; characters that would break the header are replaced. */
function filenameOf({ media }: AttachmentBubble): string | undefined {
  return media?.filename?.toWellFormed().replaceAll(/[\p{Cc}"\\/]/gu, '_') || undefined;
}

/** The reference of a received file: its id and, for a document, its name. */
export const refOf = (id: string, filename: string | undefined): string =>
  filename === undefined ? id : `${id}/${filename}`;

/** Looks up the URL of a file, which works for 5 minutes and requires the token. */
async function locate(call: AccountCall, ref: string): Promise<AttachmentLocation> {
  const { token, phone_number_id } = sessionOf(call.session);
  const [media = '', ...filename] = ref.split('/');
  const request = { method: 'GET', ...path`/${{ media }}`, query: { phone_number_id } } as const;
  const { url, mime_type } = await asAccount(call, request, Located);
  return {
    url,
    headers: { authorization: `Bearer ${token}` },
    content_type: mime_type,
    filename: filename.join('/') || undefined,
  };
}

async function seen(call: AccountCall, _: PlatformConversation, newest: string | undefined): Promise<void> {
  if (newest === undefined) return;
  const json = { messaging_product: 'whatsapp', status: 'read', message_id: newest };
  await asAccount(call, { method: 'POST', path: '/{number}/messages', json }, Success);
}

/** Messages to people who wrote within a day; if that has passed, WhatsApp reports the failure later. */
export const messages = Object.freeze<Messages>({
  parts: Object.freeze({
    text: Object.freeze({ max: 4096, counting: 'chars' }),
    attachments: Object.freeze({
      kinds: Object.freeze(['image', 'video', 'audio', 'file'] as const),
      sources: Object.freeze(['media_id', 'url', 'platform_attachment_id'] as const),
      max_bytes: KINDS.file.max,
      captions: true,
      voice: true,
    }),
    buttons: Object.freeze({ types: Object.freeze(['postback'] as const), text_max: 1024, unique_payloads: true }),
    quick_replies: Object.freeze({ max: 3 }),
    lists: true,
    window: Object.freeze({ ms: DAY, code: 'whatsapp.window_closed', later: 'send_whatsapp_template' }),
  }),
  bubble: Object.freeze({ prepare, send }),
  locate,
  seen,
});
