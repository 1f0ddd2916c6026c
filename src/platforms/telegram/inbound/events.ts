import type { InboundEvent } from '../../inbound.ts';
import type { PlatformConversation } from '../../inbox-types.ts';
import { messageId } from '../api.ts';
import { commentContentOf, contentOf } from './content.ts';
import { MOVES, noticeIn } from './notices.ts';
import type { Owner } from './owner.ts';
import { idOf, type Message, personOf, type MessageFields, speakerOf, type Update } from './update.ts';

/** The conversation of a message: with a person in a private chat, or with a group as a whole. */
const conversationOf = ({ chat, from }: Message, owner: Owner): PlatformConversation => ({
  platform_id: chat.id,
  participant: chat.type === 'private' && from ? personOf(from, owner) : speakerOf(chat),
});

/** A post forwarded to the discussion group; its number there identifies the thread of its comments. */
function forwarded(message: MessageFields): readonly InboundEvent[] {
  const { chat: channel, message_id } = message.forward_origin ?? {};
  if (channel === undefined || message_id === undefined) return [];
  const post = messageId(channel.id, message_id);
  return [...published(post, message), { kind: 'alias', thing: 'post', platform_id: post, alias: idOf(message) }];
}

/** The event of a channel post; an album is reported by its first part, which has the text. */
function published(id: string, message: MessageFields): readonly InboundEvent[] {
  const { text: words, caption, date, media_group_id: album } = message;
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
    // A direct reply to a post contains the post, so the post is known even if its forward was missed.
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
        ...commentContentOf(message),
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

/** The event of a message to the bot; a link that only opens the chat becomes a referral. */
function messageEvents(message: Message, owner: Owner): readonly InboundEvent[] {
  const notice = noticeIn(message);
  if (notice !== undefined) return [notice];
  const conversation = conversationOf(message, owner);
  const [, ref] = /^\/start(?:@\w+)? ([\w-]{1,64})$/.exec(message.text ?? '') ?? [];
  const at = message.date * 1000;
  if (ref !== undefined) {
    return [{ kind: 'referral', conversation, platform_id: idOf(message), referral: { ref, source: 'LINK' }, at }];
  }
  const { reply_to_message: answered, from, chat } = message;
  const { metadata, ...content } = contentOf(message);
  return [
    {
      kind: 'message',
      conversation,
      message: {
        platform_id: idOf(message),
        direction: 'incoming',
        ...content,
        created_at: at,
        reply_to: answered && idOf(answered),
        metadata: { ...metadata, ...(chat.type !== 'private' && from && { sender: personOf(from, owner) }) },
      },
    },
  ];
}

function editEvents(message: Message): readonly InboundEvent[] {
  if (noticeIn(message) !== undefined) return [];
  const { edit_date: edited = message.date } = message;
  return [{ kind: 'message_edited', platform_id: idOf(message), content: contentOf(message), at: edited * 1000 }];
}

type Reaction = NonNullable<Update['message_reaction']>;

function groupEvents(message: Message, owner: Owner, edited: boolean): readonly InboundEvent[] {
  const { chat, migrate_to_chat_id: moved, message_thread_id: thread, from } = message;
  if (moved !== undefined) return [{ kind: 'alias', thing: 'conversation', platform_id: moved, alias: chat.id }];
  if (MOVES.some((name) => message[name] !== undefined)) return [];
  if (chat.id === owner.group) {
    if (message.is_automatic_forward === true) return forwarded(message);
    const isComment = thread !== undefined && message.is_topic_message !== true && noticeIn(message) === undefined;
    return isComment ? commentEvents(message, thread, owner, edited) : [];
  }
  if (from?.id === owner.bot && noticeIn(message) === undefined) return [];
  return edited ? editEvents(message) : messageEvents(message, owner);
}

/** The emoji of a reaction; custom emoji are given by their id. */
function emojiOf({ type, emoji, custom_emoji_id: custom }: Reaction['new_reaction'][number]): string {
  if (emoji !== undefined) return emoji;
  if (custom !== undefined) return `custom_emoji:${custom}`;
  return type === 'paid' ? '⭐' : type;
}

/** Reactions to messages; those to posts and comments are ignored, as they cannot be shown. */
function reactionEvents(reaction: Reaction, owner: Owner): readonly InboundEvent[] {
  const { chat, user, actor_chat: speaker, new_reaction: now, date } = reaction;
  if (chat.id === owner.channel || chat.id === owner.group) return [];
  const by = user ? personOf(user, owner) : speaker && speakerOf(speaker);
  if (by === undefined) return [];
  return [
    {
      kind: 'reaction',
      conversation: chat.id,
      message: idOf(reaction),
      direction: 'incoming',
      by,
      emojis: now.map(emojiOf),
      at: date * 1000,
    },
  ];
}

function tapEvents(tap: NonNullable<Update['callback_query']>, owner: Owner): readonly InboundEvent[] {
  const { id, from, data, message } = tap;
  if (message === undefined) return [];
  const { chat, reply_markup: markup } = message;
  const buttons = markup?.inline_keyboard.flat() ?? [];
  const title = buttons.find(({ callback_data }) => callback_data === data)?.text ?? '';
  const participant = chat.type === 'private' ? personOf(from, owner) : speakerOf(chat);
  const conversation = { platform_id: chat.id, participant };
  // Telegram reports no time of a tap; the time of its message comes before any later event. An old message has the
  // date 0, so the tap counts as happening now.
  const at = message.date === 0 ? Infinity : message.date * 1000;
  return [{ kind: 'postback', conversation, platform_id: id, title, payload: data, at }];
}

export function eventsOf(update: Update, owner: Owner): readonly InboundEvent[] {
  const { message, edited_message, channel_post: post, callback_query: tap, my_chat_member: membership } = update;
  const content = message ?? edited_message;
  if (tap) return tapEvents(tap, owner);
  if (update.message_reaction) return reactionEvents(update.message_reaction, owner);
  if (post) return post.chat.id === owner.channel ? published(idOf(post), post) : [];
  if (membership) {
    const { chat, new_chat_member: now } = membership;
    const isOut = chat.id === owner.channel && ['left', 'kicked'].includes(now.status);
    return isOut ? [{ kind: 'revoked', why: 'The bot was removed from its channel.' }] : [];
  }
  if (content === undefined) return [];
  if (content.chat.type === 'private') return message ? messageEvents(message, owner) : editEvents(content);
  return groupEvents(content, owner, message === undefined);
}
