import { seconds } from '../kit/ids.ts';
import type { Bot, Chat, Media, Message, TelegramDocs } from './docs.ts';
import { SERVICE, type Chats, type World } from './world.ts';

export const all = (value: boolean, names: string): Readonly<Record<string, boolean>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]));

const RIGHTS = Object.freeze({
  ...all(true, 'can_manage_chat can_delete_messages can_invite_users'),
  ...all(false, 'can_be_edited is_anonymous can_manage_video_chats can_restrict_members can_promote_members'),
  ...all(false, 'can_change_info can_post_stories can_edit_stories can_delete_stories can_send_welcome_messages'),
});
const CHANNEL_RIGHTS = all(true, 'can_post_messages can_edit_messages');
const GROUP_RIGHTS = Object.freeze({ can_pin_messages: true, can_manage_topics: false });

/** The id of a file for one bot; other bots cannot use it. */
const fileIdOf = (bot: string, blob: string): string => Buffer.from(`${bot} ${blob}`).toString('base64url');

export function blobOf(bot: string, fileId: string): string | undefined {
  const [of, blob] = Buffer.from(fileId, 'base64url').toString().split(' ');
  return of === bot ? blob : undefined;
}

type UserView = Readonly<{
  id: number;
  is_bot: boolean;
  first_name: string;
  last_name?: string;
  username?: string;
  language_code?: string;
}>;

export const botOf = ({ id, name, username }: Bot) => ({ id: Number(id), is_bot: true, first_name: name, username });

export type Render = ReturnType<typeof makeRender>;

export function makeRender({ docs, people }: Pick<World, 'docs' | 'people'>, chats: Chats) {
  function userOf(id: string): UserView {
    if (id === SERVICE) return { id: Number(SERVICE), is_bot: false, first_name: 'Telegram' };
    const bot = docs.get('bot', id);
    if (bot) return botOf(bot);
    const person = people.byId(id);
    const [first_name = '', ...rest] = (person?.name ?? 'Deleted Account').split(' ');
    return {
      id: Number(id),
      is_bot: false,
      first_name,
      ...(rest.length > 0 && { last_name: rest.join(' ') }),
      ...(person && { username: person.handle.split('.')[0]!, language_code: 'en' }),
    };
  }

  function chatOf({ id, type, title = '', username }: Chat) {
    const named = username === undefined ? {} : { username };
    const shared = { id: Number(id), title };
    if (type === 'channel') return { ...shared, type, ...named } as const;
    if (type === 'supergroup') return { ...shared, type, ...named } as const;
    if (type === 'group') return { ...shared, type } as const;
    const { is_bot: _, language_code: __, ...person } = userOf(id.split('/')[1]!);
    return { ...person, type } as const;
  }

  /** The membership of a present or former member. */
  function memberOf(chat: Chat, id: string, { status } = chats.member(chat, id)) {
    const member = { status, user: userOf(id) };
    if (status === 'kicked') return { ...member, until_date: 0 };
    if (status === 'creator') return { ...member, is_anonymous: false };
    if (status !== 'administrator') return member;
    return { ...member, ...RIGHTS, ...(chat.type === 'channel' ? CHANNEL_RIGHTS : GROUP_RIGHTS) };
  }

  function mediaOf(bot: string, { kind, blob, mime, size, name, width = 0, height = 0, duration = 0 }: Media) {
    const file = { file_id: fileIdOf(bot, blob), file_unique_id: `u${blob}`, file_size: size };
    const box = { width, height };
    if (kind === 'photo') {
      // From the smallest to the largest size; the last one is the photo itself.
      const thumb = { ...file, width: Math.ceil(width / 4), height: Math.ceil(height / 4) };
      return {
        photo: [
          { ...thumb, file_unique_id: `t${blob}` },
          { ...file, ...box },
        ],
      };
    }
    const named = { ...file, mime_type: mime, file_name: name };
    if (kind === 'voice') return { voice: { ...file, mime_type: mime, duration } };
    if (kind === 'audio') return { audio: { ...named, duration } };
    if (kind === 'document') return { document: named };
    if (kind === 'video_note') return { video_note: { ...file, length: Math.max(width, 1), duration } };
    if (kind === 'sticker')
      return { sticker: { ...file, ...box, type: 'regular', is_animated: false, is_video: false, emoji: '😀' } };
    const moving = { ...named, ...box, duration };
    return kind === 'video' ? { video: moving } : { animation: moving, document: named };
  }

  function contentOf(bot: string, { text, entities, media, service, shared }: Message) {
    const own = entities.length > 0 ? entities : undefined;
    if (media === undefined) return { ...(service ?? shared ?? { text }), ...(own && { entities: own }) };
    return { ...mediaOf(bot, media), ...(text !== '' && { caption: text, ...(own && { caption_entities: own }) }) };
  }

  /** A message as a bot sees it. The message it replies to is included, but no further level. */
  function messageOf(bot: string, message: Message, isInner = false): Record<string, unknown> {
    const { page_id, n, from, sender_chat, group, reply_to, thread, markup, forwarded } = message;
    const answered = reply_to === undefined || isInner ? undefined : chats.message(page_id, reply_to);
    return {
      message_id: n,
      date: seconds(message.at),
      chat: chatOf(chats.get(page_id)!),
      ...(from !== undefined && { from: userOf(from) }),
      ...(sender_chat !== undefined && { sender_chat: chatOf(chats.get(sender_chat)!) }),
      ...(message.edited_at !== undefined && { edit_date: seconds(message.edited_at) }),
      ...(group !== undefined && { media_group_id: group }),
      ...(thread !== undefined && { message_thread_id: thread }),
      ...(answered && { reply_to_message: messageOf(bot, answered, true) }),
      ...(forwarded && { is_automatic_forward: true, forward_origin: originOf(forwarded) }),
      ...contentOf(bot, message),
      ...(isInline(markup) && { reply_markup: markup }),
    };
  }

  const originOf = ({ chat, n, at }: NonNullable<Message['forwarded']>) => ({
    type: 'channel',
    chat: chatOf(chats.get(chat)!),
    message_id: n,
    date: seconds(at),
  });

  return Object.freeze({ userOf, chatOf, memberOf, messageOf });
}

/** Telegram returns inline keyboards only. */
const isInline = (markup: unknown): boolean =>
  typeof markup === 'object' && markup !== null && 'inline_keyboard' in markup;

export const messageView = ({ page_id: chat, n: message_id, ...message }: TelegramDocs['message']) => ({
  chat,
  message_id,
  ...message,
});
