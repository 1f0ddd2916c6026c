/** Updates of the Bot API as inbound events. */
import * as z from 'zod';
import type { Hosts } from '../call.ts';
import type { InboundEvent } from '../inbound.ts';
import type { MessageAttachment, Person, PlatformConversation } from '../records.ts';
import { text } from '../shared/fields.ts';
import { Id, messageId, type TelegramSession } from './api.ts';

/** Whose updates these are: the ids of the bot, its channel and the channel's discussion group. */
export type Owner = Readonly<{
  bot: string;
  channel?: string | undefined;
  group?: string | undefined;
  /** Where the pages of people are on the network of the account. */
  web: string;
}>;

export const ownerOf = ({ bot, channel }: TelegramSession, { web = '' }: Hosts): Owner => ({
  bot,
  channel: channel?.id,
  group: channel?.group,
  web,
});

const Known = z.object({ bot_id: text, channel_id: text, group_id: text });

/** The same from the metadata of a profile. */
export function ownerIn(metadata: Readonly<Record<string, unknown>>, { web = '' }: Hosts): Owner {
  const { bot_id: bot = '', channel_id: channel, group_id: group } = Known.parse(metadata);
  return { bot, channel, group, web };
}

/** What is asked for; other updates never come. */
export const ALLOWED_UPDATES: readonly string[] = [
  'message',
  'edited_message',
  'channel_post',
  'callback_query',
  'my_chat_member',
];

const User = z.object({
  id: Id,
  first_name: z.string().default(''),
  last_name: text,
  username: text,
});
const Chat = z.object({ id: Id, type: z.string(), title: text, username: text });
const File = z.object({ file_id: z.string() }).optional().catch(undefined);
const Said = z.object({
  message_id: Id,
  date: z.number(),
  chat: Chat,
  from: User.optional().catch(undefined),
  sender_chat: Chat.optional().catch(undefined),
  text,
  caption: text,
  message_thread_id: Id.optional().catch(undefined),
  is_topic_message: z.boolean().optional().catch(undefined),
  is_automatic_forward: z.boolean().optional().catch(undefined),
  forward_origin: z
    .object({ type: z.string(), chat: Chat.optional(), message_id: Id.optional() })
    .optional()
    .catch(undefined),
  migrate_to_chat_id: Id.optional().catch(undefined),
  media_group_id: text,
  photo: z
    .array(z.object({ file_id: z.string() }))
    .optional()
    .catch(undefined),
  video: File,
  animation: File,
  video_note: File,
  audio: File,
  voice: File,
  document: File,
  sticker: File,
});
const Message = Said.extend({ reply_to_message: Said.optional().catch(undefined) });
type Message = z.output<typeof Message>;

const Button = z.object({ text: z.string(), callback_data: text });
const Tap = z.object({
  id: z.string(),
  from: User,
  data: z.string().default(''),
  message: Said.extend({
    reply_markup: z
      .object({ inline_keyboard: z.array(z.array(Button)) })
      .optional()
      .catch(undefined),
  }).optional(),
});
const Membership = z.object({ chat: Chat, new_chat_member: z.object({ status: z.string() }) });

export const Update = z.object({
  update_id: z.number(),
  message: Message.optional().catch(undefined),
  edited_message: Message.optional().catch(undefined),
  channel_post: Message.optional().catch(undefined),
  callback_query: Tap.optional().catch(undefined),
  my_chat_member: Membership.optional().catch(undefined),
});
export type Update = z.output<typeof Update>;

const idOf = ({ chat, message_id }: z.output<typeof Said>): string => messageId(chat.id, message_id);

const personOf = ({ id, first_name, last_name, username }: z.output<typeof User>, { web }: Owner): Person => ({
  id,
  name: [first_name, last_name].filter(Boolean).join(' '),
  username,
  profile_url: username && `${web}/${username}`,
});

/** A chat that speaks for itself: a group, a channel, or an anonymous administrator. */
const speakerOf = ({ id, title = '', username }: z.output<typeof Chat>): Person => ({ id, name: title, username });

/** Files are named, not shown: their addresses hold the token of the bot. */
function attachmentsOf(message: Message): readonly MessageAttachment[] {
  const { photo, video, animation, video_note, audio, voice, document, sticker } = message;
  const files = [
    ['image', photo?.at(-1)],
    ['video', video ?? animation ?? video_note],
    ['audio', audio ?? voice],
    // An animation is a document as well.
    ['file', animation ? undefined : document],
    ['image', sticker],
  ] as const;
  return files.flatMap(([type, file]) => (file ? [{ type, ref: file.file_id }] : []));
}

/** A private chat is with a person; a group is one conversation, whoever speaks in it. */
const conversationOf = ({ chat, from }: Message, owner: Owner): PlatformConversation => ({
  platform_id: chat.id,
  participant: chat.type === 'private' && from ? personOf(from, owner) : speakerOf(chat),
});

/** A post that was forwarded into the discussion group, where its number begins the thread of its comments. */
function forwarded(message: z.output<typeof Said>): readonly InboundEvent[] {
  const { chat: channel, message_id } = message.forward_origin ?? {};
  if (channel === undefined || message_id === undefined) return [];
  const post = messageId(channel.id, message_id);
  return [...published(post, message), { kind: 'alias', thing: 'post', platform_id: post, alias: idOf(message) }];
}

/** A post of a channel; of an album that is its first part, the one with words. */
function published(id: string, said: z.output<typeof Said>): readonly InboundEvent[] {
  const { text: words, caption, date, media_group_id: album } = said;
  if (album !== undefined && caption === undefined) return [];
  return [
    {
      kind: 'post',
      post: {
        platform_id: id,
        text: words ?? caption ?? '',
        comment_count: 0,
        like_count: 0,
        published_at: date * 1000,
      },
    },
  ];
}

function commentEvents(message: Message, thread: string, owner: Owner, edited: boolean): readonly InboundEvent[] {
  const { from, sender_chat: sender, chat, reply_to_message: answered } = message;
  const author = sender ? speakerOf(sender) : from && personOf(from, owner);
  if (author === undefined) return [];
  const answers = answered !== undefined && answered.message_id !== thread ? idOf(answered) : undefined;
  return [
    // Who answers the post itself shows which one it is, though its forward may have been missed.
    ...(answered?.is_automatic_forward === true ? forwarded(answered) : []),
    {
      kind: 'comment',
      ...(edited && { edited: true }),
      comment: {
        platform_id: idOf(message),
        platform_post_id: messageId(chat.id, thread),
        parent_id: answers,
        author,
        is_owner: from?.id === owner.bot || (sender !== undefined && sender.id === owner.channel),
        text: message.text ?? message.caption ?? '',
        // Files have no address that could be shown.
        media: [],
        created_at: message.date * 1000,
        like_count: 0,
        reply_count: 0,
        is_hidden: false,
        is_liked: false,
        capabilities: { can_reply: true, can_delete: true, can_hide: false, can_like: true, can_private_reply: false },
      },
    },
  ];
}

/** A message to the bot; a link into the bot that only opens the chat is no message. */
function messageEvents(message: Message, owner: Owner): readonly InboundEvent[] {
  const conversation = conversationOf(message, owner);
  const [, ref] = /^\/start(?:@\w+)? ([\w-]{1,64})$/.exec(message.text ?? '') ?? [];
  const at = message.date * 1000;
  if (ref !== undefined) {
    return [{ kind: 'referral', conversation, platform_id: idOf(message), referral: { ref, source: 'LINK' }, at }];
  }
  const { reply_to_message: answered, from, chat } = message;
  return [
    {
      kind: 'message',
      conversation,
      message: {
        platform_id: idOf(message),
        direction: 'incoming',
        text: message.text ?? message.caption ?? '',
        attachments: attachmentsOf(message),
        created_at: at,
        reply_to: answered && idOf(answered),
        ...(chat.type !== 'private' && from && { metadata: { sender: personOf(from, owner) } }),
      },
    },
  ];
}

function groupEvents(message: Message, owner: Owner, edited: boolean): readonly InboundEvent[] {
  const { chat, migrate_to_chat_id: moved, message_thread_id: thread, from } = message;
  if (moved !== undefined) return [{ kind: 'alias', thing: 'conversation', platform_id: moved, alias: chat.id }];
  if (chat.id === owner.group) {
    if (message.is_automatic_forward === true) return forwarded(message);
    const isComment = thread !== undefined && message.is_topic_message !== true;
    return isComment ? commentEvents(message, thread, owner, edited) : [];
  }
  return edited || from?.id === owner.bot ? [] : messageEvents(message, owner);
}

function tapEvents(tap: NonNullable<Update['callback_query']>, owner: Owner): readonly InboundEvent[] {
  const { id, from, data, message } = tap;
  if (message === undefined) return [];
  const { chat, reply_markup: markup } = message;
  const buttons = markup?.inline_keyboard.flat() ?? [];
  const title = buttons.find(({ callback_data }) => callback_data === data)?.text ?? '';
  const participant = chat.type === 'private' ? personOf(from, owner) : speakerOf(chat);
  const conversation = { platform_id: chat.id, participant };
  // The tap has no time of its own; that of the message is earlier than everything that followed it.
  return [{ kind: 'postback', conversation, platform_id: id, title, payload: data, at: message.date * 1000 }];
}

/** The events of an update. */
export function eventsOf(update: Update, owner: Owner): readonly InboundEvent[] {
  const { message, edited_message, channel_post: post, callback_query: tap, my_chat_member: membership } = update;
  const said = message ?? edited_message;
  if (tap) return tapEvents(tap, owner);
  if (post) return post.chat.id === owner.channel ? published(idOf(post), post) : [];
  if (membership) {
    const { chat, new_chat_member: now } = membership;
    const isOut = chat.id === owner.channel && ['left', 'kicked'].includes(now.status);
    return isOut ? [{ kind: 'revoked', why: 'The bot was removed from its channel.' }] : [];
  }
  if (said === undefined) return [];
  if (said.chat.type === 'private') return message ? messageEvents(message, owner) : [];
  return groupEvents(said, owner, message === undefined);
}
