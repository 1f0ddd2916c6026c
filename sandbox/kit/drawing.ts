import { isoTime } from '#kernel/clock.ts';
import { drawTime, html, webAddress, type Fill, type Html } from '../html.ts';
import type { Offer } from '../twin.ts';
import { smallOf } from './small.ts';

const badge = (label: string): Html => html`<span class="badge">${label}</span>`;

/** Draws a link from a post, but nothing if its URL is unsafe. */
export function drawLink(link: unknown): Html | false {
  const address = webAddress(link);
  return address !== undefined && html`<p><a href="${address}" rel="noopener noreferrer nofollow">${address}</a></p>`;
}

/** A small picture that links to the full-size one. */
export const drawPicture = (url: string, alt = ''): Html =>
  html`<a href="${url}"><img src="${smallOf(url)}" alt="${alt || 'Picture'}" loading="lazy" /></a>`;

export const drawVisual = (isVideo: boolean, url: string, alt?: string): Html =>
  isVideo ? html`<video controls src="${url}"></video>` : drawPicture(url, alt);

export const likesNote = ({ id, likes }: Readonly<{ id: string; likes: readonly string[] }>): Html =>
  html`${likes.length > 0 && ` · likes ${likes.length}`} <code>${id}</code>`;

type Given = Readonly<Record<string, string>>;

/** Action buttons with the fields in `given` filled in; none without an `offer`, as on public pages. */
export const drawOffers = (
  offer: Offer | undefined,
  given: Given,
  acts: Readonly<Record<string, string>>,
  more: readonly (readonly [act: string, given: Given, label: string])[] = [],
): Html | false =>
  offer !== undefined &&
  html`<div class="offers">
    ${Object.entries(acts).map(([act, label]) => html`${offer(act, given, label)} `)}
    ${more.map((one) => html`${offer(...one)} `)}
  </div>`;

export type Drawing = Readonly<{
  /** Whether the app's account wrote it. */
  isOwn?: boolean;
  author: Fill;
  badges?: readonly (string | false | undefined)[];
  text?: Fill;
  media?: Fill;
  at: number;
  /** The path of its own page, if it has one. */
  path?: string;
  note?: Fill;
  offers?: Html | false;
  below?: readonly Html[] | undefined;
}>;

function drawContent({ author, badges = [], text, media, at, path, note, offers }: Drawing): Html {
  const time = drawTime(isoTime(at));
  return html`<strong>${author}</strong> ${badges.map((label) => typeof label === 'string' && badge(label))}
    <p>${text}</p>
    ${media} <small>${path === undefined ? time : html`<a href="${path}">${time}</a>`}${note}</small> ${offers}`;
}

/** A comment or message, with the replies below it. */
export const drawContentWithAuthor = (content: Drawing): Html =>
  html`<div class="${content.isOwn === true ? 'said own' : 'said'}">${drawContent(content)} ${content.below}</div>`;

export const drawPost = (content: Drawing): Html => html`<article>${drawContent(content)} ${content.below}</article>`;

export const drawConversation = ({
  title,
  badges = [],
  messages,
  note,
  offers,
}: Readonly<{
  title: string;
  badges?: readonly (string | false | undefined)[];
  messages: readonly Html[];
  note?: string;
  offers: Html | false;
}>): Html =>
  html`<article>
    <strong>${title}</strong> ${badges.map((label) => typeof label === 'string' && badge(label))} ${messages}
    ${note !== undefined && html`<small>${note}</small>`} ${offers}
  </article>`;

const SHOWN = 12;

/** Draws conversations for the console, the most recently changed first. */
export const makeTalks =
  <M>({
    messages,
    of,
    about,
    draw,
  }: Readonly<{
    messages(): readonly M[];
    of(message: M): string;
    /** The title of a conversation and what to draw around its messages. */
    about(conversation: string, offer: Offer): Omit<Parameters<typeof drawConversation>[0], 'messages'>;
    draw(message: M, offer: Offer): Drawing;
  }>) =>
  (count: number, offer: Offer): readonly Html[] =>
    [...Map.groupBy(messages().toReversed(), of)].slice(0, count).map(([conversation, newest]) => {
      const view = newest.slice(0, SHOWN).toReversed();
      return drawConversation({
        ...about(conversation, offer),
        messages: view.map((message) => drawContentWithAuthor(draw(message, offer))),
      });
    });
