import { z } from 'zod';
import { tableOf } from '#kernel/text/table.ts';
import { asText, isObject } from '../../kit/api/checks.ts';
import { makeReader } from '../../kit/api/shapes.ts';
import { digits } from '../../kit/ids.ts';
import type { Chat, Message } from '../docs.ts';
import { badRequest, tooMany } from '../errors.ts';
import type { Talk } from '../talk.ts';
import { readMarkdown, withFound, type Entity, type Formatted } from '../text/entities.ts';
import { readHtml } from '../text/html.ts';
import { wholeIn, type Call, type Methods, type Parts, type Targets } from './calls.ts';
import { FILE_KINDS, makeIntake, type FileKind } from './media.ts';

const MOST_TEXT = 4096;
const MOST_CAPTION = 1024;
const MOST_BUTTON_DATA = 64;
const MOST_ALBUM = 10;
const ALBUM_KINDS: ReadonlySet<unknown> = new Set(['photo', 'video', 'audio', 'document']);

const PARSERS = tableOf({ html: readHtml, markdownv2: readMarkdown });

function formatted(text: string, mode: unknown, entities: unknown, most: number, tooLong: string): Formatted {
  const plain = text.replaceAll('\r', '');
  const read = PARSERS.get(asText(mode).toLowerCase());
  if (read === undefined && asText(mode) !== '') throw badRequest('unsupported parse_mode');
  const content = read?.(plain) ?? { text: plain, entities: (entities ?? []) as readonly Entity[] };
  if (content.text.trim().length > most) throw badRequest(tooLong);
  return withFound(content);
}
const captionOf = (text: string, mode: unknown, entities: unknown) =>
  formatted(text, mode, entities, MOST_CAPTION, 'message caption is too long');

const INLINE = "can't parse inline keyboard button: ";
const NO_TEXT = `${INLINE}Field "text" must be non-empty`;
const BAD_DATA = 'BUTTON_DATA_INVALID';
const BAD_URL = 'inline keyboard button URL is invalid: Wrong HTTP URL';
const ACTIONS = ['url', 'callback_data', 'web_app', 'login_url', 'switch_inline_query', 'copy_text', 'pay'];
const BUTTON = z
  .looseObject(
    {
      text: z.string(NO_TEXT).min(1, NO_TEXT),
      callback_data: z
        .string(BAD_DATA)
        .refine((data) => data !== '' && Buffer.byteLength(data) <= MOST_BUTTON_DATA, BAD_DATA)
        .optional(),
      url: z
        .string(BAD_URL)
        .regex(/^(?:https?|tg):\/\/\S+$/i, BAD_URL)
        .optional(),
    },
    `${INLINE}InlineKeyboardButton must be an Object`,
  )
  .refine(
    (button) => ACTIONS.some((name) => button[name] !== undefined),
    `${INLINE}Text buttons are unallowed in the inline keyboard`,
  );
const BUTTONS = z.array(BUTTON, 'field "inline_keyboard" of the InlineKeyboardMarkup must be an Array');
const read = makeReader(({ words }) => badRequest(words));

function markupIn({ params }: Call): Readonly<Record<string, unknown>> | undefined {
  const markup = params.object('reply_markup');
  const rows = markup?.['inline_keyboard'];
  if (rows !== undefined) read(BUTTONS, Array.isArray(rows) ? rows.flat() : rows, 'inline_keyboard');
  return markup;
}

function makeLimits({ world, chats }: Pick<Parts, 'world' | 'chats'>) {
  const { clock } = world.options;

  function answeredIn({ params }: Call, chat: Chat): Pick<Message, 'reply_to' | 'thread'> {
    const request = params.object('reply_parameters');
    const n = Number(request?.['message_id'] ?? wholeIn(params, 'reply_to_message_id') ?? 0);
    const thread = wholeIn(params, 'message_thread_id');
    if (n === 0) return { ...(thread !== undefined && { thread }) };
    const answered = chats.message(chat.id, n);
    const isLenient = request?.['allow_sending_without_reply'] ?? params.flag('allow_sending_without_reply');
    if (answered === undefined) {
      if (isLenient === true) return {};
      throw badRequest('message to be replied not found');
    }
    const isThreaded = chat.type === 'supergroup' && chat.linked !== undefined;
    return { reply_to: n, ...(isThreaded && { thread: answered.thread ?? n }) };
  }

  function pace(bot: string, chat: Chat): void {
    const most = world.settings.get('messages_per_minute');
    if (most === 0) return;
    const recent = chats.messages(chat.id).filter(({ from, at }) => from === bot && at > clock.now() - 60_000);
    if (recent.length >= most) throw tooMany(Math.ceil((recent[0]!.at + 60_000 - clock.now()) / 1000));
  }

  return { answeredIn, pace };
}

export function sendMethods(parts: Parts, targets: Targets, talk: Talk): Methods {
  const { world, render } = parts;
  const take = makeIntake(world);
  const { answeredIn, pace } = makeLimits(parts);

  /** Sends the message of a call once its files have arrived. The chat may have migrated in the meantime. */
  const send =
    (make: (call: Call) => Formatted, file?: FileKind) =>
    async (call: Call): Promise<object> => {
      const { params, caller } = call;
      const chat = targets.write(call);
      const content = make(call);
      const [markup, answered] = [markupIn(call), answeredIn(call, chat)];
      pace(caller.person, chat);
      const media = file && (await take(call, file, params.files.has(file) ? file : params.text(file), params.values));
      return world.options.store.write(() => {
        const message = talk.say(targets.write(call), caller.person, { ...content, media, markup, ...answered });
        return render.messageOf(caller.person, message);
      });
    };

  function textIn({ params }: Call): Formatted {
    const [mode, entities] = [params.text('parse_mode'), params.list('entities')];
    const content = formatted(params.text('text') ?? '', mode, entities, MOST_TEXT, 'message is too long');
    if (content.text.trim() === '') throw badRequest('message text is empty');
    return content;
  }
  const captionIn = ({ params }: Call) =>
    captionOf(params.text('caption') ?? '', params.text('parse_mode'), params.list('caption_entities'));

  async function albumIn(call: Call) {
    const items = call.params.list('media') ?? [];
    if (items.length < 2 || items.length > MOST_ALBUM)
      throw badRequest('wrong number of media in the album: expected 2-10');
    const kinds = items.map((item) => (isObject(item) ? item['type'] : ''));
    const isMixed =
      kinds.some((kind) => kind !== kinds[0]) && kinds.some((kind) => kind !== 'photo' && kind !== 'video');
    if (isMixed) throw badRequest("document and audio can't be mixed with other media types");
    const album = [];
    for (const item of items as readonly Readonly<Record<string, unknown>>[]) {
      const { type, media: source, caption, parse_mode: mode, caption_entities: entities } = item;
      if (!ALBUM_KINDS.has(type)) throw badRequest(`can't parse InputMedia: type "${String(type)}" is unsupported`);
      const media = await take(call, type as FileKind, asText(source), item);
      album.push({ ...captionOf(asText(caption), mode, entities), media });
    }
    return album;
  }

  return {
    sendMessage: send(textIn),
    ...Object.fromEntries(
      FILE_KINDS.map((kind) => [`send${kind[0]!.toUpperCase()}${kind.slice(1)}`, send(captionIn, kind)]),
    ),
    async sendMediaGroup(call) {
      const chat = targets.write(call);
      const answered = answeredIn(call, chat);
      pace(call.caller.person, chat);
      const album = await albumIn(call);
      const group = digits(17);
      return world.options.store.write(() => {
        const [now, bot] = [targets.write(call), call.caller.person];
        const content = album.map((item) => talk.say(now, bot, { ...item, group, ...answered }));
        return content.map((message) => render.messageOf(bot, message));
      });
    },
    sendChatAction(call) {
      targets.write(call);
      call.params.required('action');
      return true;
    },
  };
}
