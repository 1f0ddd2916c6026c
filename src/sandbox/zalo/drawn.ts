/** Articles and conversations, drawn for the console, and articles for readers. */
import type { Context } from 'koa';
import { wireTime } from '../../kernel/clock.ts';
import { html, webAddress, type Html } from '../html.ts';
import { drawConversation, drawOffers, drawPost, drawSaid } from '../kit/drawing.ts';
import { showPublic } from '../kit/public.ts';
import type { Offer } from '../twin.ts';
import { ABOUT } from './about.ts';
import type { Parts } from './api/calls.ts';
import { isRecord } from './api/calls.ts';
import type { Articles } from './articles.ts';
import type { Article, Fields, Message } from './docs.ts';

const SHOWN = 10;
const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

const drawPicture = (url: unknown, words = ''): Html =>
  html`<p><a href="${webAddress(url) ?? ''}">${words === '' ? 'Picture' : words}</a></p>`;

export function makeDrawn({ world, ties, talk }: Parts, articles: Articles) {
  const { people, docs } = world;

  function drawPart(part: unknown): Html {
    const { type, content, url, caption } = isRecord(part) ? part : ({} as Fields);
    if (type === 'text') return html`<p>${asText(content)}</p>`;
    return type === 'image' ? drawPicture(url, asText(caption)) : html`<p>${asText(type)}</p>`;
  }
  function drawBody({ body }: Article): Html {
    const { cover, avatar, description, body: parts, video_id: video } = body;
    const picture = isRecord(cover) ? cover['photo_url'] : avatar;
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
      offers: isThere && drawOffers(offer, [['view', { article: id }, 'Look at it']]),
    });
  };
  const drawMessage = (message: Message, offer: Offer): Html => {
    const { id, src, page_id, parent_id, text, attachments, buttons = [], at, seen } = message;
    const presses = buttons.map(
      ({ title }) => ['press', { message: id, button: asText(title) }, asText(title)] as const,
    );
    return drawSaid({
      isOwn: src === 0,
      author: src === 0 ? people.byId(page_id)?.name : ties.nameOf(ties.get(parent_id)!),
      badges: [seen === true && 'seen'],
      text,
      media: attachments.map(({ type, payload }) => drawPicture((payload as Fields)['url'], asText(type))),
      at,
      offers: drawOffers(offer, [...presses, ['react', { message: id }, 'React']]),
    });
  };

  return Object.freeze({
    /** The page of an article: `/detail/<id>`. */
    visit(ctx: Context, [area, id = '', ...more]: readonly string[]): void {
      const article = articles.get(id);
      if (ctx.method !== 'GET' || area !== 'detail' || more.length > 0 || article?.status !== 'show') return;
      const title = asText(article.body['title']);
      const body = html`<h1>${title}</h1>
        ${drawArticle(article)}
        <p class="quiet">${wireTime(article.changed_at)}</p>`;
      showPublic(ctx, { slug: ABOUT.slug, network: ABOUT.title }, title, body);
    },
    latest: (count: number, offer?: Offer) =>
      docs
        .list('article')
        .toSorted((a, b) => b.at - a.at)
        .slice(0, count)
        .map((article) => drawArticle(article, offer)),
    conversations: (count: number, offer: Offer) =>
      docs
        .list('tie')
        .map((tie) => ({ tie, said: talk.messages(tie) }))
        .filter(({ said }) => said.length > 0)
        .toSorted((a, b) => b.said.at(-1)!.at - a.said.at(-1)!.at)
        .slice(0, count)
        .map(({ tie, said }) => {
          const account = people.byId(tie.page_id)!;
          const pair = { person: people.byId(tie.person)?.handle ?? '', account: account.handle };
          return drawConversation({
            title: `${ties.nameOf(tie)} and ${account.name}`,
            badges: [tie.follows === true && 'follows', tie.refuses],
            said: said.slice(-SHOWN).map((one) => drawMessage(one, offer)),
            offers:
              tie.conversation === undefined &&
              drawOffers(offer, [
                ['write', pair, 'Write'],
                ['read', pair, 'Read'],
              ]),
          });
        }),
  });
}
