/** Channels and conversations for the console, and channels for visitors. */
import { html } from '../../html.ts';
import { drawOffers, drawPost, drawContentWithAuthor, makeTalks } from '../../kit/drawing.ts';
import { makeSite } from '../../kit/site.ts';
import type { Offer } from '../../twin.ts';
import { ABOUT } from '../about.ts';
import type { Message } from '../docs.ts';
import { kindOf } from '../people/action-fields.ts';
import type { Talk } from '../talk.ts';
import type { Chats, World } from '../world.ts';

const SHOWN = 10;

export function makePages({ docs }: Pick<World, 'docs'>, chats: Chats, talk: Talk) {
  const drawMedia = ({ media }: Message) =>
    media && html`<p><a href="/sandbox/${ABOUT.slug}/cdn/${media.blob}">${media.kind}: ${media.name}</a></p>`;
  const drawMessage = (message: Message, offer?: Offer) => ({
    isOwn: docs.get('bot', message.from ?? '') !== undefined,
    author: chats.nameOf(message.from ?? message.sender_chat ?? ''),
    badges: [message.deleted_at !== undefined && 'deleted', message.edited_at !== undefined && 'edited'],
    text: message.text || (message.media ? '' : (kindOf(message) ?? '')),
    media: drawMedia(message),
    at: message.at,
    offers: drawOffers(offer, { message: message.id }, isOpen(message) ? { comment: 'Comment' } : {}, presses(message)),
  });
  const isOpen = ({ page_id, forwarded }: Message) =>
    chats.get(page_id)?.linked !== undefined || forwarded !== undefined;
  function presses({ id: message, markup }: Message) {
    type Rows = readonly (readonly Readonly<{ text: string }>[])[];
    const { inline_keyboard: inline = [], keyboard = [] } = (markup ?? {}) as Readonly<
      Record<string, Rows | undefined>
    >;
    return [...inline, ...keyboard].flat().map(({ text }) => ['press', { message, button: text }, text] as const);
  }
  const commentsOn = ({ page_id, n }: Message, offer?: Offer) => {
    const copy = talk.copyOf(chats.get(page_id)?.linked ?? '', page_id, n);
    const below = copy === undefined ? [] : chats.messages(copy.page_id).filter(({ thread }) => thread === copy.n);
    return below.map((one) => drawContentWithAuthor(drawMessage(one, offer)));
  };
  const saidIn = (isChannel: boolean) =>
    docs.list('message').filter(({ page_id }) => (chats.get(page_id)?.type === 'channel') === isChannel);

  const site = makeSite<Message>({
    about: ABOUT,
    /** Finds a channel or post, with the paths of t.me: `/<name>`, `/<name>/<number>`, `/c/<id>/<number>`. */
    at(path) {
      const [name = '', number, ...more] = path[0] === 'c' ? path.slice(1) : path;
      const channel = path[0] === 'c' ? chats.get(`-100${name}`) : chats.named(name);
      if (channel?.type !== 'channel' || more.length > 0) return undefined;
      const there = chats.messages(channel.id).filter(({ deleted_at }) => deleted_at === undefined);
      const view = number === undefined ? there.slice(-SHOWN) : there.filter(({ n }) => String(n) === number);
      if (number !== undefined && view.length === 0) return undefined;
      return { name: channel.title ?? name, posts: view };
    },
    draw: (post, offer) => drawPost({ ...drawMessage(post, offer), below: commentsOn(post, offer) }),
    posts: () => saidIn(true),
  });

  return Object.freeze({
    ...site,
    conversations: makeTalks<Message>({
      messages: () => saidIn(false),
      of: ({ page_id }) => page_id,
      draw: drawMessage,
      about(id, offer) {
        const [bot = '', person = ''] = id.split('/');
        const { title = `${chats.nameOf(person)} and ${chats.nameOf(bot)}`, type, is_blocked } = chats.get(id)!;
        const pair = { person, bot };
        return {
          title,
          badges: [is_blocked === true && 'blocked'],
          offers: type === 'private' && drawOffers(offer, pair, { write: 'Write', block: 'Block' }),
        };
      },
    }),
  });
}
