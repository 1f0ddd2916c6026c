/** Comments of the discussion group, and messages to the bot. */
import * as z from 'zod';
import { lengthOf } from '#kernel/text/length.ts';
import type { Comments } from '../interactions.ts';
import type { Bubble, BubbleRequest, Messages, SentMessage } from '../messages.ts';
import type { SendCall } from '../sending.ts';
import { unfit, unlessRefused } from '../shared/errors.ts';
import { filePart } from '../shared/upload.ts';
import type { AccountCall } from '../call.ts';
import { request, requestInChat, botOf, Done, type Given, Id, messageId, partsOf } from './api.ts';
import { LARGEST_FILE, methodOf, type Shape, shapeOf } from './files.ts';
import { LONGEST_CAPTION, LONGEST_TEXT } from './posts.ts';

const Made = z.object({ message_id: Id, chat: z.object({ id: Id }), date: z.number() });
const TEXT = { max: LONGEST_TEXT, counting: 'utf16' } as const;

/** Changes a message; a deleted message counts as success. */
async function change(call: AccountCall, method: string, id: string, more: object = {}): Promise<void> {
  const { chat, message } = partsOf(id);
  const json = { message_id: message, ...more };
  await unlessRefused(requestInChat(botOf(call), method, chat, { json }, Done), 'not_found');
}

/** Comments are messages in the discussion group, which are pushed but cannot be listed. */
export const comments: Comments = {
  text: TEXT,
  reply: {
    async send(call, { comment, text }) {
      if (comment === undefined) throw unfit('Answer a comment: a bot cannot comment on the post itself.');
      const { chat, message } = partsOf(comment);
      const json = { text, reply_parameters: { message_id: message } };
      const made = await requestInChat(botOf(call), 'sendMessage', chat, { json }, Made);
      return { comment_id: messageId(made.chat.id, made.message_id) };
    },
  },
  isComment: async (_call, { post, comment }) => {
    const { chat } = partsOf(comment);
    return chat !== '' && chat !== partsOf(post).chat;
  },
  remove: (call, { comment }) => change(call, 'deleteMessage', comment),
  like: (call, { comment }, liked) =>
    change(call, 'setMessageReaction', comment, { reaction: liked ? [{ type: 'emoji', emoji: '👍' }] : [] }),
};

const LONGEST_PAYLOAD = 64;

const callback = (payload: string): Readonly<{ callback_data: string }> => {
  if (Buffer.byteLength(payload) > LONGEST_PAYLOAD) {
    throw unfit(`Telegram accepts payloads of at most ${LONGEST_PAYLOAD} bytes.`);
  }
  return { callback_data: payload };
};

/** Builds the keyboard; quick replies with a payload of their own become buttons, as only those return it. */
function keyboardOf({ buttons, quick_replies: replies }: Extract<Bubble, { kind: 'text' }>): object | undefined {
  if (buttons?.length) {
    const row = ({ type, title, url, payload = '' }: (typeof buttons)[number]) =>
      type === 'url' ? [{ text: title, url }] : [{ text: title, ...callback(payload) }];
    return { inline_keyboard: buttons.map(row) };
  }
  if (!replies?.length) return undefined;
  if (replies.some(({ title, payload = title }) => payload !== title)) {
    return { inline_keyboard: replies.map(({ title, payload = title }) => [{ text: title, ...callback(payload) }]) };
  }
  return { keyboard: replies.map(({ title }) => [{ text: title }]), one_time_keyboard: true, resize_keyboard: true };
}

const SHAPES = Object.freeze({ image: 'photo', video: 'video', audio: 'audio', file: 'document' } as const);

async function givenOf(call: SendCall, bubble: Bubble): Promise<readonly [method: string, given: Given]> {
  if (bubble.kind === 'cards') throw unfit('Telegram has no cards.');
  if (bubble.kind === 'text') {
    const reply_markup = keyboardOf(bubble);
    return ['sendMessage', { json: { text: bubble.text, ...(reply_markup && { reply_markup }) } }];
  }
  const { type, media, platform_attachment_id: known, caption, voice } = bubble;
  if (lengthOf(caption ?? '', 'utf16') > LONGEST_CAPTION) {
    throw unfit(`Telegram accepts captions of at most ${LONGEST_CAPTION}.`);
  }
  if (known !== undefined) {
    const shape: Shape = voice ? 'voice' : SHAPES[type];
    return [methodOf(shape), { json: { [shape]: known, caption } }];
  }
  const opened = await call.open(media!.ref);
  const shape = shapeOf(type, opened, voice);
  return [methodOf(shape), { form: { caption }, file: filePart(shape, opened) }];
}

async function send(call: SendCall, { conversation, bubble }: BubbleRequest): Promise<SentMessage> {
  const [method, given] = await givenOf(call, bubble);
  const { chat, message_id, date } = await requestInChat(botOf(call), method, conversation.platform_id, given, Made);
  return { message_id: messageId(chat.id, message_id), created_at: date * 1000 };
}

export const messages: Messages = {
  parts: {
    text: TEXT,
    attachments: {
      kinds: ['image', 'video', 'audio', 'file'],
      sources: ['media_id', 'url', 'platform_attachment_id'],
      max_bytes: LARGEST_FILE,
      captions: true,
      voice: true,
    },
    buttons: { types: ['url', 'postback'], text_max: LONGEST_TEXT },
    quick_replies: { max: 13 },
  },
  // Telegram has no lookup and returns no correlation id, so the outcome of a lost response stays unknown.
  bubble: { send },
  async locate(call, ref) {
    const bot = botOf(call);
    const { file_path: path } = await request(
      bot,
      'getFile',
      { json: { file_id: ref } },
      z.object({ file_path: z.string() }),
    );
    // This URL contains the bot's token.
    const url = `${call.hosts['api']!}/file/bot${bot.token}/${path.split('/').map(encodeURIComponent).join('/')}`;
    return { url, filename: path.split('/').at(-1) };
  },
};
