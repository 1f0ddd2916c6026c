/** Pictures of what was said on a network, for the console and for public pages. */
import { isoTime } from '#kernel/clock.ts';
import { drawTime, html, webAddress, type Fill } from '../html.ts';
import type { Html } from '../html.ts';
import type { Offer } from '../twin.ts';

const badge = (label: string): Html => html`<span class="badge">${label}</span>`;

/** A link that somebody posted; nothing where it is no address. */
export function drawLink(link: unknown): Html | false {
  const address = webAddress(link);
  return address !== undefined && html`<p><a href="${address}" rel="noopener noreferrer nofollow">${address}</a></p>`;
}

/** A picture or a film that somebody posted. */
export const drawVisual = (isVideo: boolean, url: string, alt = ''): Html =>
  isVideo ? html`<video controls src="${url}"></video>` : html`<img src="${url}" alt="${alt}" loading="lazy" />`;

/** The small print of what people may like: how many do, and its id. */
export const likesNote = ({ id, likes }: Readonly<{ id: string; likes: readonly string[] }>): Html =>
  html`${likes.length > 0 && ` · likes ${likes.length}`} <code>${id}</code>`;

type Given = Readonly<Record<string, string>>;

/**
 * What an operator may do about a thing, beside it: acts with what their buttons say, whose known fields are `given`, and
 * `more` of them with fields of their own. Nothing where nobody plays.
 */
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

/** Something that somebody said: a post, a comment, a message. */
export type Drawing = Readonly<{
  /** Said by whom the app acts for. */
  isOwn?: boolean;
  author: Fill;
  badges?: readonly (string | false | undefined)[];
  text?: Fill;
  media?: Fill;
  at: number;
  /** Where it has a page of its own. */
  path?: string;
  /** What follows the time, in small print. */
  note?: Fill;
  offers?: Html | false;
  /** What was answered to it. */
  below?: readonly Html[] | undefined;
}>;

/** The inside of what was said: author, badges, text, media and time. */
export function drawContent({ author, badges = [], text, media, at, path, note, offers }: Drawing): Html {
  const time = drawTime(isoTime(at));
  return html`<strong>${author}</strong> ${badges.map((label) => typeof label === 'string' && badge(label))}
    <p>${text}</p>
    ${media} <small>${path === undefined ? time : html`<a href="${path}">${time}</a>`}${note}</small> ${offers}`;
}

/** Something said in answer or in a conversation, with what was answered to it. */
export const drawContentWithAuthor = (content: Drawing): Html =>
  html`<div class="${content.isOwn === true ? 'said own' : 'said'}">${drawContent(content)} ${content.below}</div>`;

/** A post with the answers below it. */
export const drawPost = (content: Drawing): Html => html`<article>${drawContent(content)} ${content.below}</article>`;

/** A conversation: who is in it, what was said last, and what can be done. */
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

/** How many messages of a conversation the console shows. */
const SHOWN = 12;

/** Draws the conversations of a network for the console, those in which something was said last first. */
export const makeTalks =
  <M>({
    messages,
    of,
    about,
    draw,
  }: Readonly<{
    /** Everything that was ever said, oldest first, and in which conversation. */
    messages(): readonly M[];
    of(message: M): string;
    /** The title of a conversation, and what else stands there. */
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
