/** What bots say. */
import { asText } from '../../kit/api/checks.ts';
import { digits } from '../../kit/ids.ts';
import type { Chat, MediaKind, Message } from '../docs.ts';
import { badRequest, tooMany } from '../errors.ts';
import type { Talk } from '../talk.ts';
import { readHtml, readMarkdown, withFound, type Entity, type Formatted } from '../text/entities.ts';
import { method, wholeIn, type Call, type Parts, type Targets } from './calls.ts';
import { makeIntake } from './media.ts';

const MOST_TEXT = 4096;
const MOST_CAPTION = 1024;
const MOST_BUTTON_DATA = 64;
const MOST_ALBUM = 10;

type Fields = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text with its entities, by parse mode or as they were given. */
function formatted(text: string, mode: string | undefined, entities: readonly unknown[] | undefined): Formatted {
  const plain = text.replaceAll('\r', '');
  if (mode === undefined || mode === '')
    return withFound({ text: plain, entities: (entities ?? []) as readonly Entity[] });
  const read = { html: readHtml, markdownv2: readMarkdown }[mode.toLowerCase()];
  if (read === undefined) throw badRequest('unsupported parse_mode');
  return withFound(read(plain));
}

function trimmed({ text, entities }: Formatted, most: number, tooLong: string): Formatted {
  if (text.trim().length > most) throw badRequest(tooLong);
  return { text, entities };
}

const ACTIONS = ['url', 'callback_data', 'web_app', 'login_url', 'switch_inline_query', 'copy_text', 'pay'];

/** Checks the keyboard of a message, and answers it. */
function markupIn({ params }: Pick<Call, 'params'>): Fields | undefined {
  const markup = params.object('reply_markup');
  if (markup === undefined) return undefined;
  const rows = markup['inline_keyboard'];
  if (rows === undefined) return markup;
  if (!Array.isArray(rows)) throw badRequest('field "inline_keyboard" of the InlineKeyboardMarkup must be an Array');
  for (const button of rows.flat() as unknown[]) {
    if (!isRecord(button))
      throw badRequest("can't parse inline keyboard button: InlineKeyboardButton must be an Object");
    if (typeof button['text'] !== 'string' || button['text'] === '')
      throw badRequest('can\'t parse inline keyboard button: Field "text" must be non-empty');
    if (!ACTIONS.some((name) => button[name] !== undefined))
      throw badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard");
    const { callback_data: data, url } = button as { callback_data?: unknown; url?: unknown };
    if (data !== undefined && (typeof data !== 'string' || data === '' || Buffer.byteLength(data) > MOST_BUTTON_DATA))
      throw badRequest('BUTTON_DATA_INVALID');
    if (url !== undefined && (typeof url !== 'string' || !/^(?:https?|tg):\/\/\S+$/i.test(url)))
      throw badRequest('inline keyboard button URL is invalid: Wrong HTTP URL');
  }
  return markup;
}

/** What a message answers, and how many there may be. */
function makeLimits({ world, chats }: Pick<Parts, 'world' | 'chats'>) {
  const { clock } = world.options;

  /** The message that is answered, by its number. */
  function answeredIn({ params }: Call, chat: Chat): Pick<Message, 'reply_to' | 'thread'> {
    const asked = params.object('reply_parameters');
    const n = Number(asked?.['message_id'] ?? wholeIn(params, 'reply_to_message_id') ?? 0);
    const thread = wholeIn(params, 'message_thread_id');
    if (n === 0) return { ...(thread !== undefined && { thread }) };
    const answered = chats.message(chat.id, n);
    const isLenient = asked?.['allow_sending_without_reply'] ?? params.flag('allow_sending_without_reply');
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

export function sendMethods({ world, chats, render }: Parts, targets: Targets, talk: Talk) {
  const { store } = world.options;
  const take = makeIntake(world);
  const { answeredIn, pace } = makeLimits({ world, chats });
  const shown = (bot: string, message: Message) => render.messageOf(bot, message);

  const captionIn = ({ params }: Call) =>
    trimmed(
      formatted(params.text('caption') ?? '', params.text('parse_mode'), params.list('caption_entities')),
      MOST_CAPTION,
      'message caption is too long',
    );

  const send = (kind: MediaKind) => async (call: Call) => {
    const { params, caller } = call;
    const chat = targets.write(call);
    const caption = captionIn(call);
    const [markup, answered] = [markupIn(call), answeredIn(call, chat)];
    pace(caller.person, chat);
    const [width, height, duration] = ['width', 'height', 'duration'].map((name) => params.whole(name));
    const source = params.files.has(kind) ? kind : params.text(kind);
    const media = await take(call, kind, source, { width, height, duration });
    const said = store.write(() =>
      talk.say(targets.write(call), caller.person, { ...caption, media, markup, ...answered }),
    );
    return shown(caller.person, said);
  };

  /** The items of an album, each with its file. */
  async function albumIn(call: Call) {
    const items = call.params.list('media') ?? [];
    if (items.length < 2 || items.length > MOST_ALBUM)
      throw badRequest('wrong number of media in the album: expected 2-10');
    const kinds = items.map((item) => (isRecord(item) ? String(item['type']) : ''));
    const isMixed = kinds.some((kind) => kind !== kinds[0]) && kinds.some((kind) => !['photo', 'video'].includes(kind));
    if (isMixed) throw badRequest("document and audio can't be mixed with other media types");
    const album = [];
    for (const item of items as readonly Fields[]) {
      const { type, media: source, caption = '', parse_mode: mode, caption_entities: entities } = item;
      const kind = (['photo', 'video', 'audio', 'document'] as const).find((one) => one === type);
      if (kind === undefined) throw badRequest(`can't parse InputMedia: type "${String(type)}" is unsupported`);
      const said = formatted(String(caption), mode as string | undefined, entities as readonly unknown[] | undefined);
      const media = await take(call, kind, asText(source), item);
      album.push({ ...trimmed(said, MOST_CAPTION, 'message caption is too long'), media });
    }
    return album;
  }

  return [
    ...method('sendMessage', (call) => {
      const { params, caller } = call;
      const chat = targets.write(call);
      const said = formatted(params.text('text') ?? '', params.text('parse_mode'), params.list('entities'));
      if (said.text.trim() === '') throw badRequest('message text is empty');
      trimmed(said, MOST_TEXT, 'message is too long');
      const [markup, answered] = [markupIn(call), answeredIn(call, chat)];
      pace(caller.person, chat);
      const message = store.write(() => talk.say(chat, caller.person, { ...said, markup, ...answered }));
      return shown(caller.person, message);
    }),
    ...(['photo', 'video', 'animation', 'audio', 'voice', 'document'] as const).flatMap((kind) =>
      method(`send${kind[0]!.toUpperCase()}${kind.slice(1)}`, send(kind)),
    ),
    ...method('sendMediaGroup', async (call) => {
      const { caller } = call;
      const chat = targets.write(call);
      const answered = answeredIn(call, chat);
      pace(caller.person, chat);
      const album = await albumIn(call);
      const group = digits(17);
      return store.write(() => {
        const now = targets.write(call);
        const all = album.map((item) => talk.say(now, caller.person, { ...item, group, ...answered }));
        return all.map((message) => shown(caller.person, message));
      });
    }),
    ...method('sendChatAction', (call) => {
      targets.write(call);
      call.params.required('action');
      return true;
    }),
  ];
}
