/** Numbers messages, forwards them to discussion groups and reports them to bots. */
import { seconds } from '../kit/ids.ts';
import type { Chat, Message } from './docs.ts';
import type { Render } from './render.ts';
import type { Updates } from './updates.ts';
import { SERVICE, type Chats, type World } from './world.ts';

export type Saying = Omit<Message, 'id' | 'at' | 'page_id' | 'n'>;
export type Talk = ReturnType<typeof makeTalk>;

export function makeTalk(world: Pick<World, 'docs' | 'options'>, chats: Chats, render: Render, updates: Updates) {
  const {
    docs,
    options: { clock },
  } = world;
  const botsIn = (chat: Chat) => Object.keys(chat.members).filter((id) => docs.get('bot', id) !== undefined);

  /** Whether a bot receives a message in a group. Admins receive all, other bots only what is meant for them. */
  function isSeen(chat: Chat, bot: string, { text, reply_to, service, page_id }: Message): boolean {
    const { status } = chats.member(chat, bot);
    if (status === 'left' || status === 'kicked') return false;
    if (chat.type === 'private' || service !== undefined || chats.isAdmin(chat, bot)) return true;
    const isAnswer = reply_to !== undefined && chats.message(page_id, reply_to)?.from === bot;
    return (
      chat.type !== 'channel' &&
      (isAnswer || text.startsWith('/') || text.includes(`@${docs.get('bot', bot)!.username}`))
    );
  }

  function announce(chat: Chat, message: Message, what = chat.type === 'channel' ? 'channel_post' : 'message'): void {
    for (const bot of botsIn(chat))
      if (bot !== message.from && isSeen(chat, bot, message)) updates.tell(bot, what, render.messageOf(bot, message));
  }

  /** Reports a reaction to the bots of a chat; in groups only to those that are admins. */
  function reacted(message: Message, by: string, [before, now]: readonly (string | undefined)[]): void {
    const chat = chats.get(message.page_id)!;
    const listed = (emoji: string | undefined) => (emoji === undefined ? [] : [{ type: 'emoji', emoji }]);
    const body = {
      chat: render.chatOf(chat),
      message_id: message.n,
      user: render.userOf(by),
      date: seconds(clock.now()),
      old_reaction: listed(before),
      new_reaction: listed(now),
    };
    for (const bot of botsIn(chat))
      if (chat.type === 'private' || chats.isAdmin(chat, bot)) updates.tell(bot, 'message_reaction', body);
  }

  /** Copies a channel post to the discussion group, where people can comment on it. */
  function forward(channel: Chat, post: Message): void {
    const group = channel.linked === undefined ? undefined : chats.get(channel.linked);
    if (group === undefined) return;
    const { text, entities, media, group: album, markup, at, n, page_id } = post;
    const copy = chats.write(group.id, {
      from: SERVICE,
      sender_chat: channel.id,
      text,
      entities,
      media,
      group: album,
      markup,
      forwarded: { chat: page_id, n, at },
    });
    announce(group, copy);
  }

  return Object.freeze({
    botsIn,
    announce,
    reacted,

    /** Sends a message from `by`, who is not shown in a channel. Inside a transaction. */
    say(chat: Chat, by: string, saying: Omit<Saying, 'from'>): Message {
      const speaker = chat.type === 'channel' ? { sender_chat: chat.id } : { from: by };
      const message = chats.write(chat.id, { ...saying, ...speaker });
      const isBot = docs.get('bot', by) !== undefined;
      // Bots never receive messages from bots.
      if (!isBot) announce(chat, message);
      if (chat.type === 'channel') forward(chat, message);
      return message;
    },

    copyOf: (group: string, channel: string, n: number) =>
      chats.messages(group).find(({ forwarded }) => forwarded?.chat === channel && forwarded.n === n),
  });
}
