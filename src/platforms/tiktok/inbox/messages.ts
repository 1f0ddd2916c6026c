import * as z from 'zod';
import { HOUR } from '#kernel/clock.ts';
import { lengthOf } from '#kernel/text/length.ts';
import type { AccountCall } from '../../call.ts';
import type { Bubble, BubbleRequest, Messages, SentMessage } from '../../messages.ts';
import type { SendCall, SettleState } from '../../sending.ts';
import { unfit } from '../../shared/errors.ts';
import { isSameText, onlySent } from '../../shared/settle.ts';
import { assertFile, filePart } from '../../shared/upload.ts';
import { sendBusiness, sessionOf, uploadBusiness } from '../api.ts';
import { MOST_MESSAGES, readConversation, refParts } from './history.ts';
import { anything, LongId } from '../../shared/fields.ts';

const IMAGE = Object.freeze({ types: ['image/jpeg', 'image/png'], max: 3 * 1024 * 1024 });
const CARD = Object.freeze({ taps: 3, title: 40, button: 20, id: 40 });

/** Uploads the image of a message and returns its id; TikTok stores it for 30 days. */
async function prepare(call: SendCall, { bubble }: BubbleRequest): Promise<string | null> {
  if (bubble.kind === 'cards') throw unfit('TikTok has no cards.');
  if (bubble.kind === 'text') return contentOf(bubble, '') && null;
  if (bubble.platform_attachment_id !== undefined) return bubble.platform_attachment_id;
  const media = await call.open(bubble.media!.ref);
  assertFile('TikTok', 'images', media, IMAGE);
  const given = { form: { media_type: 'IMAGE' }, file: filePart('file', media) };
  return (await uploadBusiness(call, '/business/message/media/upload/', z.object({ media_id: LongId }), given))
    .media_id;
}

/** Builds a message; with buttons or quick replies the text becomes a card, which must be short. */
function contentOf(bubble: Bubble, media_id: string): object {
  if (bubble.kind !== 'text') return { message_type: 'IMAGE', image: { media_id } };
  const { text, buttons = [], quick_replies = [] } = bubble;
  const taps = [...buttons, ...quick_replies];
  if (taps.length === 0) return { message_type: 'TEXT', text: { body: text.toWellFormed() } };
  if (taps.length > CARD.taps) throw unfit(`TikTok accepts ${CARD.taps} buttons and quick replies together.`);
  if (lengthOf(text, 'chars') > CARD.title)
    throw unfit(`TikTok accepts ${CARD.title} characters with buttons or quick replies.`);
  const made = taps.map(({ title, payload: id = title }) => ({ type: 'REPLY', title, id }));
  if (made.some(({ title, id }) => lengthOf(title, 'chars') > CARD.button || id.length > CARD.id))
    throw unfit(`TikTok accepts buttons of ${CARD.button} characters, with payloads of ${CARD.id}.`);
  return { message_type: 'TEMPLATE', template: { type: 'QA_BUTTON_CARD', title: text.toWellFormed(), buttons: made } };
}

const sendTo = <T extends z.ZodType>(call: AccountCall, recipient: string, data: T, content: object) =>
  sendBusiness(call, '/business/message/send/', data, { recipient_type: 'CONVERSATION', recipient, ...content });

const Sent = z.object({ message: z.object({ message_id: LongId }) });

async function send(
  call: SendCall,
  { conversation, bubble }: BubbleRequest,
  { prepared }: Readonly<{ prepared: unknown }>,
): Promise<SentMessage> {
  return (await sendTo(call, conversation.platform_id, Sent, contentOf(bubble, String(prepared)))).message;
}

/** Searches the newest messages of a conversation for one whose response was lost. */
async function settle(call: SendCall, { conversation, bubble }: BubbleRequest, { sentAt, taken }: SettleState) {
  const { messages: listed, isWhole } = await readConversation(call, conversation.platform_id);
  return onlySent(listed, { sentAt, taken, most: MOST_MESSAGES, isWhole }, ({ text, attachments }) =>
    bubble.kind === 'text' ? isSameText(text, bubble.text) : attachments.length > 0,
  );
}

const Download = z.object({ download_url: z.string().min(1) });

/** TikTok accepts 10 messages within 48 hours of each message from the person, and enforces that itself. */
export const messages = Object.freeze<Messages>({
  parts: {
    text: { max: 6000, counting: 'chars' },
    attachments: {
      kinds: ['image'],
      sources: ['media_id', 'url', 'platform_attachment_id'],
      max_bytes: IMAGE.max,
      captions: 'bubble',
    },
    buttons: { types: ['postback'], text_max: CARD.title },
    quick_replies: { max: CARD.taps },
    window: { ms: 48 * HOUR },
  },
  bubble: { prepare, send, settle },
  async locate(call, ref) {
    const request = refParts(ref);
    const { download_url: url } = await sendBusiness(call, '/business/message/media/download/', Download, request);
    return { url, headers: { 'x-user': sessionOf(call.session).access_token } };
  },
  async seen(call, { platform_id }) {
    await sendTo(call, platform_id, anything, { message_type: 'SENDER_ACTION', sender_action: 'MARK_READ' });
  },
});
