/** Posts and conversations for the console, and the public website. */
import { html, type Html } from '../html.ts';
import { isLive } from '../kit/docs.ts';
import {
  drawOffers,
  drawPost,
  drawContentWithAuthor,
  drawVisual,
  likesNote,
  makeTalks,
  type Drawing,
} from '../kit/drawing.ts';
import { makeSite } from '../kit/site.ts';
import type { Offer } from '../twin.ts';
import { ABOUT } from './about.ts';
import type { Parts } from './api/calls.ts';
import { mediaKind, type App, type Message, type Post } from './docs.ts';
import type { Login } from './login.ts';
import { plainText } from './text.ts';

const ROOT = `/sandbox/${ABOUT.slug}`;

/** How to connect a person who has an app of their own. */
export const drawApps = (apps: readonly App[]): Html =>
  html`can be connected, with an app:
  ${apps.map(
    ({ name, id, client_secret, consumer_key, consumer_secret }) =>
      html`<p>
        ${name}<br />client id <code>${id}</code><br />client secret <code>${client_secret}</code><br />consumer key
        <code>${consumer_key}</code><br />consumer secret <code>${consumer_secret}</code>
      </p>`,
  )}`;

export function makePages({ world, users, posts, talk }: Parts, login: Login) {
  const { docs, options } = world;
  const nameOf = (id: string) => users.get(id)?.name;
  const isOwn = (id: string) => users.get(id)?.owner === true;
  const pathOf = ({ id, page_id }: Post) => `${ROOT}/www/${users.nameOf(users.get(page_id)!)}/status/${id}`;
  const firsts = (where = {}) => docs.listLive('post', where).filter((post) => post.parent_id === '');

  const drawMedia = (ids: readonly string[]): readonly Html[] =>
    ids.map((id) => {
      const { blob, category = '', alt = '' } = docs.get('medium', id) ?? {};
      const src = `${ROOT}/cdn/${blob}`;
      return drawVisual(mediaKind(category) === 'video', src, alt);
    });

  /** A post with its replies. Only the operator sees hidden ones. */
  function draw(post: Post, offer?: Offer, frame: (of: Drawing) => Html = drawPost): Html {
    const { id, page_id, media, poll, quoted, client, is_hidden, at, reposts } = post;
    const isVisible = offer !== undefined || !is_hidden;
    const cited = posts.get(quoted);
    return frame({
      isOwn: isOwn(page_id),
      author: nameOf(page_id),
      badges: [offer && client && 'by an app', is_hidden && 'hidden', reposts.length > 0 && 'reposted'],
      text: isVisible ? plainText(post) : 'This reply is hidden.',
      media: [
        ...(isVisible ? drawMedia(media) : []),
        poll && html`<p>${poll.options.join(' / ')}</p>`,
        cited && html`<blockquote>${nameOf(cited.page_id)}: ${plainText(cited)}</blockquote>`,
      ],
      at,
      path: pathOf(post),
      note: likesNote(post),
      offers: drawOffers(offer, { post: id }, { reply: 'Reply', quote: 'Quote', like: 'Like' }),
      below: posts.answers(id).map((one) => draw(one, offer, drawContentWithAuthor)),
    });
  }
  const drawMessage = (message: Message): Drawing => ({
    isOwn: isOwn(message.by),
    author: nameOf(message.by),
    badges: [message.read && 'read', !isLive(message) && 'deleted'],
    text: plainText(message),
    media: drawMedia(message.media === undefined ? [] : [message.media]),
    at: message.at,
  });
  function aboutTalk(id: string, offer: Offer) {
    const members = talk.membersOf(id).flatMap((one) => users.get(one) ?? []);
    const [person, account] = [false, true].map((isOwner) => members.find(({ owner }) => owner === isOwner)?.handle);
    const pair = person !== undefined && account !== undefined && { person, account };
    return {
      title: members.map(({ name }) => name).join(' and '),
      offers: pair && drawOffers(offer, pair, { dm: 'Write', read: 'Read' }),
    };
  }

  const site = makeSite<Post>({
    about: ABOUT,
    dialog: login.consent,
    isDialog: (path) => path === 'i/oauth2/authorize',
    at(path) {
      const [, id] = /^(?:i\/web|\w+)\/status\/(\d+)$/.exec(path.join('/')) ?? [];
      if (id !== undefined) return { post: posts.get(id) };
      const user = path.length === 1 ? users.named(path[0] ?? '') : undefined;
      return (
        user && { name: user.name, about: `@${users.nameOf(user)}`, posts: firsts({ page: user.id }).toReversed() }
      );
    },
    isPublic: isLive,
    nameOf: ({ page_id }) => nameOf(page_id),
    seen: (post) => options.store.write(() => posts.view(post)),
    draw,
    posts: firsts,
  });

  return Object.freeze({
    ...site,
    pathOf,
    conversations: makeTalks<Message>({
      messages: () => docs.list('message'),
      of: ({ page_id }) => page_id,
      draw: drawMessage,
      about: aboutTalk,
    }),
  });
}
