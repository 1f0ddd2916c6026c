/** Articles and conversations for the console, and articles for readers. */
import { isoTime } from '#kernel/clock.ts';
import { html, webAddress, type Html } from '../html.ts';
import { asText, isObject } from '../kit/api/checks.ts';
import { drawOffers, drawPost, makeTalks, type Drawing } from '../kit/drawing.ts';
import { makeSite } from '../kit/site.ts';
import type { Offer } from '../twin.ts';
import { ABOUT } from './about.ts';
import type { Parts } from './api/calls.ts';
import type { Articles } from './articles.ts';
import type { Article, Fields, Message } from './docs.ts';

const drawPicture = (url: unknown, words = ''): Html =>
  html`<p><a href="${webAddress(url) ?? ''}">${words === '' ? 'Picture' : words}</a></p>`;

export function makePages({ world, ties }: Parts, articles: Articles) {
  const { people, docs } = world;

  function drawPart(part: unknown): Html {
    const { type, content, url, caption } = isObject(part) ? part : ({} as Fields);
    if (type === 'text') return html`<p>${asText(content)}</p>`;
    return type === 'image' ? drawPicture(url, asText(caption)) : html`<p>${asText(type)}</p>`;
  }
  function drawBody({ body }: Article): Html {
    const { cover, avatar, description, body: parts, video_id: video } = body;
    const picture = isObject(cover) ? cover['photo_url'] : avatar;
    const blob = docs.list('video').find(({ video_id }) => video_id === video)?.blob;
    return html`${picture !== undefined && drawPicture(picture, 'Cover')}
      <p>${asText(description)}</p>
      ${blob !== undefined && html`<p><a href="/sandbox/${ABOUT.slug}/cdn/${blob}">Video</a></p>`}
      ${Array.isArray(parts) && parts.map(drawPart)}`;
  }
  const drawArticle = (article: Article, offer?: Offer): Html => {
    const { id, page_id, status, deleted_at, body, at, views, likes } = article;
    const isThere = deleted_at === undefined && status === 'show';
    return drawPost({
      author: people.byId(page_id)?.name,
      badges: [deleted_at !== undefined && 'deleted', status === 'hide' && 'hidden'],
      text: html`<strong>${asText(body['title'])}</strong>`,
      media: drawBody(article),
      at,
      ...(isThere && { path: `/sandbox/${ABOUT.slug}/www/detail/${id}` }),
      note: ` ${views} views, ${likes} likes`,
      offers: isThere && drawOffers(offer, { article: id }, { view: 'Look at it' }),
    });
  };
  const drawMessage = (message: Message, offer: Offer): Drawing => {
    const { id, src, page_id, parent_id, text, attachments, buttons = [], at, seen } = message;
    const presses = buttons.map(
      ({ title }) => ['press', { message: id, button: asText(title) }, asText(title)] as const,
    );
    return {
      isOwn: src === 0,
      author: src === 0 ? people.byId(page_id)?.name : ties.nameOf(ties.get(parent_id)!),
      badges: [seen === true && 'seen'],
      text,
      media: attachments.map(({ type, payload }) => drawPicture((payload as Fields)['url'], asText(type))),
      at,
      offers: drawOffers(offer, { message: id }, { react: 'React' }, presses),
    };
  };

  const site = makeSite<Article>({
    about: ABOUT,
    at([area, id = '', ...more]) {
      const article = area === 'detail' && more.length === 0 ? articles.get(id) : undefined;
      if (article?.status !== 'show') return undefined;
      const changed = html`<p class="quiet">${isoTime(article.changed_at)}</p>`;
      return { name: asText(article.body['title']), body: [drawArticle(article), changed] };
    },
    draw: drawArticle,
    posts: () => docs.list('article'),
  });

  return Object.freeze({
    ...site,
    conversations: makeTalks<Message>({
      messages: () => docs.list('message'),
      of: ({ parent_id }) => parent_id,
      draw: drawMessage,
      about(id, offer) {
        const tie = ties.get(id)!;
        const account = people.byId(tie.page_id)!;
        const pair = { person: people.byId(tie.person)?.handle ?? '', account: account.handle };
        return {
          title: `${ties.nameOf(tie)} and ${account.name}`,
          badges: [tie.follows === true && 'follows', tie.refuses],
          offers: tie.conversation === undefined && drawOffers(offer, pair, { write: 'Write', read: 'Read' }),
        };
      },
    }),
  });
}
