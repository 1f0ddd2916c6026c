/** Channels and conversations, drawn for the console, and channels for visitors. */
import type { Context } from 'koa';
import { html } from '../../html.ts';
import { drawConversation, drawOffers, drawPost, drawSaid } from '../../kit/drawing.ts';
import { showPublic } from '../../kit/public.ts';
import type { Offer } from '../../twin.ts';
import { ABOUT } from '../about.ts';
import type { Chat, Message } from '../docs.ts';
import type { Talk } from '../talk.ts';
import type { Chats, World } from '../world.ts';

const SHOWN = 10;

export function makeDrawn({ docs }: Pick<World, 'docs'>, chats: Chats, talk: Talk) {
  const drawMedia = ({ media }: Message) =>
    media && html`<p><a href="/sandbox/${ABOUT.slug}/cdn/${media.blob}">${media.kind}: ${media.name}</a></p>`;
  const drawMessage = (message: Message, chat: Chat, offer?: Offer) => ({
    isOwn: docs.get('bot', message.from ?? '') !== undefined,
    author: chats.nameOf(message.from ?? message.sender_chat ?? ''),
    badges: [message.deleted_at !== undefined && 'deleted', message.edited_at !== undefined && 'edited'],
    text: message.text,
    media: drawMedia(message),
    at: message.at,
    offers: drawOffers(offer, offersOf(message, chat)),
  });
  function offersOf({ id, markup, forwarded }: Message, chat: Chat) {
    const { inline_keyboard: inline = [], keyboard = [] } = (markup ?? {}) as Record<
      string,
      { text: string }[][] | undefined
    >;
    const buttons = [...inline, ...keyboard]
      .flat()
      .map(({ text }) => ['press', { message: id, button: text }, text] as const);
    const isOpen = (chat.type === 'channel' && chat.linked !== undefined) || chat.linked !== undefined || forwarded;
    return [...buttons, ...(isOpen ? [['comment', { message: id }, 'Comment'] as const] : [])];
  }
  const commentsOn = ({ page_id, n }: Message, offer?: Offer) => {
    const group = chats.get(chats.get(page_id)?.linked ?? '');
    const copy = group && talk.copyOf(group.id, page_id, n);
    if (!group || !copy) return [];
    const below = chats.messages(group.id).filter(({ thread }) => thread === copy.n);
    return below.map((one) => drawSaid(drawMessage(one, group, offer)));
  };
  const channels = () => chats.all().filter(({ type }) => type === 'channel');
  const drawChannelPost = (channel: Chat, post: Message, offer?: Offer) =>
    drawPost({ ...drawMessage(post, channel, offer), below: commentsOn(post, offer) });

  return Object.freeze({
    /** A channel or one of its posts, as t.me shows them: `/<name>`, `/<name>/<number>`, `/c/<id>/<number>`. */
    visit(ctx: Context, rest: readonly string[]): void {
      const [name = '', number, ...more] = rest[0] === 'c' ? rest.slice(1) : rest;
      const channel = rest[0] === 'c' ? chats.get(`-100${name}`) : chats.named(name);
      if (ctx.method !== 'GET' || channel?.type !== 'channel' || more.length > 0) return;
      const there = chats.messages(channel.id).filter(({ deleted_at }) => deleted_at === undefined);
      const shown = number === undefined ? there.slice(-SHOWN) : there.filter(({ n }) => String(n) === number);
      if (number !== undefined && shown.length === 0) return;
      const title = channel.title ?? name;
      const body = html`<h1>${title}</h1>
        ${shown.map((post) => drawChannelPost(channel, post))}`;
      showPublic(ctx, { slug: ABOUT.slug, network: ABOUT.title }, title, body);
    },
    latest: (count: number, offer?: Offer) =>
      channels()
        .flatMap((channel) => chats.messages(channel.id).map((post) => [channel, post] as const))
        .toSorted(([, a], [, b]) => b.at - a.at || b.n - a.n)
        .slice(0, count)
        .map(([channel, post]) => drawChannelPost(channel, post, offer)),
    conversations: (count: number, offer: Offer) =>
      chats
        .all()
        .filter(({ type }) => type !== 'channel')
        .map((chat) => [chat, chats.messages(chat.id)] as const)
        .filter(([, said]) => said.length > 0)
        .slice(0, count)
        .map(([chat, said]) => {
          const [bot = '', who = ''] = chat.id.split('/');
          const title = chat.title ?? `${chats.nameOf(who)} and ${chats.nameOf(bot)}`;
          const offers =
            chat.type === 'private' &&
            drawOffers(offer, [
              ['write', { person: who, bot }, 'Write'],
              ['block', { person: who, bot }, 'Block'],
            ]);
          return drawConversation({
            title,
            badges: [chat.is_blocked === true && 'blocked'],
            said: said.slice(-SHOWN).map((one) => drawSaid(drawMessage(one, chat, offer))),
            offers,
          });
        }),
  });
}
