import * as z from 'zod';
import { DAY } from '#kernel/clock.ts';
import type { Bubble, BubbleRequest, MessageButton, Messages, SentMessage } from '../messages.ts';
import type { SendCall, SettleState } from '../sending.ts';
import { unclear, unfit } from '../shared/errors.ts';
import { isSameText, onlySent } from '../shared/settle.ts';
import { assertFile, filePart } from '../shared/upload.ts';
import { callApi } from './api.ts';
import { type Listed, messageOf, messagesWith, MOST_PER_PAGE, recipientOf } from './conversations.ts';
import { LongId, UnixTime } from '../shared/fields.ts';

const MB = 1024 * 1024;
const LONGEST_TEXT = 2000;
const LONGEST_PAYLOAD = 1000;

type AttachmentBubble = Extract<Bubble, { kind: 'attachment' }>;
type TextBubble = Extract<Bubble, { kind: 'text' }>;

const UPLOADS = Object.freeze({
  image: { types: ['image/jpeg', 'image/png'], max: MB },
  gif: { types: ['image/gif'], max: 5 * MB },
  file: {
    types: [
      'application/pdf',
      'application/msword',
      'application/x-cfb',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'text/csv',
    ],
    max: 5 * MB,
  },
});
type Upload = keyof typeof UPLOADS;

const Uploaded = z.object({ attachment_id: LongId.optional(), token: LongId.optional() });

/** A file uploaded before the send, which Zalo stores for 7 days. */
const Plan = z
  .object({ as: z.enum(['image', 'gif', 'file']), id: z.string(), width: z.number(), height: z.number() })
  .nullable();
type Plan = z.output<typeof Plan>;

async function prepare(call: SendCall, { bubble }: BubbleRequest): Promise<Plan> {
  if (bubble.kind !== 'attachment') return null;
  const { type, media, platform_attachment_id: known } = bubble;
  if (known !== undefined) return { as: type === 'file' ? 'file' : 'image', id: known, width: 0, height: 0 };
  const opened = await call.open(media!.ref);
  const { content_type, width = 0, height = 0 } = opened;
  const picture = content_type === 'image/gif' ? 'gif' : 'image';
  const as: Upload = type === 'file' ? 'file' : picture;
  assertFile('Zalo', `${as}s`, opened, UPLOADS[as]);
  const file = filePart('file', opened);
  const request = { method: 'POST', path: `/v2.0/oa/upload/${as}`, file } as const;
  const { attachment_id, token } = await callApi(call, request, Uploaded);
  const id = as === 'file' ? token : attachment_id;
  if (id === undefined) throw unclear();
  return { as, id, width, height };
}

const template = (payload: object) => ({ attachment: { type: 'template', payload } });

function attachmentOf({ as, id, width, height }: NonNullable<Plan>): object {
  if (as === 'file') return { attachment: { type: 'file', payload: { token: id } } };
  const shape = as === 'gif' ? { width, height } : {};
  return template({ template_type: 'media', elements: [{ media_type: as, attachment_id: id, ...shape }] });
}

/** A button; when it is tapped, its payload comes back as a message from the person. */
function buttonOf({ type, title, url, payload = title }: MessageButton, isHidden = true): object {
  if (type === 'url') return { title, type: 'oa.open.url', payload: { url } };
  if (payload.length > LONGEST_PAYLOAD) throw unfit(`Zalo accepts payloads of at most ${LONGEST_PAYLOAD} characters.`);
  return { title, type: isHidden ? 'oa.query.hide' : 'oa.query.show', payload };
}

/** Builds a text message; a quick reply whose payload equals its title is shown as the person's message when tapped. */
function textOf({ text, buttons = [], quick_replies: replies = [] }: TextBubble): object {
  const taps = [
    ...buttons.map((button) => buttonOf(button)),
    ...replies.map(({ title, payload = title }) => buttonOf({ type: 'postback', title, payload }, payload !== title)),
  ];
  return { text: text.toWellFormed(), ...(taps.length > 0 && template({ buttons: taps })) };
}

const Sent = z.object({ message_id: LongId, sent_time: UnixTime.optional().catch(undefined) });

async function send(
  call: SendCall,
  { conversation, bubble }: BubbleRequest,
  { prepared }: Readonly<{ prepared: unknown }>,
): Promise<SentMessage> {
  if (bubble.kind === 'cards') throw unfit('Zalo has no cards.');
  const message = bubble.kind === 'text' ? textOf(bubble) : attachmentOf(Plan.parse(prepared)!);
  const { path, recipient } = recipientOf(conversation);
  const { message_id, sent_time } = await callApi(call, { method: 'POST', path, json: { recipient, message } }, Sent);
  return { message_id, created_at: sent_time };
}

/** The types under which lists show uploaded files, by kind of upload; lists do not contain the files. */
const SHOWN: Readonly<Record<Upload, readonly string[]>> = {
  image: ['photo', 'image'],
  gif: ['gif', 'photo'],
  file: ['file', 'link', 'links', 'nosupport'],
};

function isSent(bubble: TextBubble | AttachmentBubble, plan: Plan, { type, message }: Listed): boolean {
  return bubble.kind === 'text' ? isSameText(message, bubble.text) : SHOWN[plan?.as ?? 'file'].includes(type);
}

/** Searches the newest messages of a conversation for one whose response was lost. */
async function settle(call: SendCall, { conversation, bubble }: BubbleRequest, state: SettleState) {
  const { recipient } = recipientOf(conversation);
  if (bubble.kind === 'cards' || !('user_id' in recipient)) return 'unknown';
  const plan = Plan.catch(null).parse(state.prepared);
  const { items, listed } = await messagesWith(call, recipient.user_id);
  const isWhole = items.length === listed;
  const view = items.map((one) => ({ ...messageOf(one), one }));
  return onlySent(view, { ...state, most: MOST_PER_PAGE, isWhole }, ({ one }) => isSent(bubble, plan, one));
}

/** Messages to people who wrote within 7 days; after that, Zalo refuses them. */
export const messages: Messages = {
  parts: {
    text: { max: LONGEST_TEXT, counting: 'chars' },
    attachments: {
      kinds: ['image', 'file'],
      sources: ['media_id', 'url', 'platform_attachment_id'],
      max_bytes: UPLOADS.file.max,
      captions: 'bubble',
    },
    buttons: { types: ['url', 'postback'], text_max: LONGEST_TEXT },
    quick_replies: { max: 5 },
    window: { ms: 7 * DAY },
  },
  bubble: { prepare, send, settle },
};
