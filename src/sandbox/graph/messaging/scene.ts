/** What the console shows of a Graph twin's conversations. */
import { html, webAddress } from '../../html.ts';
import type { Html } from '../../html.ts';
import { drawConversation, drawOffers, drawSaid } from '../../kit/drawing.ts';
import type { Offer } from '../../twin.ts';
import type { Message, Piece, Thread } from '../docs.ts';
import { buttonsOf } from './acts.ts';
import type { Threads } from './threads.ts';
import { fileUrl } from '../world.ts';
import type { GraphWorld } from '../world.ts';

const SHOWN_MESSAGES = 10;

export type GraphScene = Readonly<{
  conversations(count: number, offer: Offer): readonly Html[];
}>;

/** Draws the conversations of the twin. */
export function makeScene(world: GraphWorld, threads: Threads): GraphScene {
  const { nodes, people } = world;

  function tapsOf(message: Message): readonly Readonly<{ title: string; payload: string }>[] {
    const buttons = buttonsOf(message).filter(({ type }) => type === 'postback');
    return [...buttons, ...((message.quick_replies ?? []) as Readonly<Record<string, unknown>>[])].flatMap(
      ({ title, payload }) =>
        typeof payload === 'string' ? [{ title: typeof title === 'string' ? title : payload, payload }] : [],
    );
  }
  function drawPiece({ type, blob, payload }: Piece): Html {
    if (blob !== undefined) return html`<a href="${fileUrl(world, blob)}">${type}</a> `;
    const { text, elements = [] } = (payload ?? {}) as { text?: string; elements?: readonly { title?: string }[] };
    return html`${text ?? elements.map(({ title }) => title).join(' | ')} `;
  }
  function drawLinks(message: Message): readonly Html[] {
    return buttonsOf(message).flatMap(({ type, title, url }) =>
      type === 'web_url' ? [html`<a href="${webAddress(url)}" rel="noopener noreferrer nofollow">${title}</a> `] : [],
    );
  }
  function drawMessage(one: Message, thread: Thread, offer: Offer): Html {
    const person = people.byId(thread.parent_id)?.name;
    const state = one.from_page && (one.read ? 'read' : one.delivered ? 'delivered' : 'sent');
    const reaction = one.reaction !== undefined && `reaction: ${one.reaction}`;
    return drawSaid({
      isOwn: one.from_page,
      author: one.from_page ? people.page(thread.page_id)?.name : person,
      badges: [one.by_app && 'by the app', one.story && 'answers a story', one.referral && 'came by a link or ad'],
      text: one.text,
      media: html`${one.pieces.map(drawPiece)} ${drawLinks(one)}`,
      at: one.at,
      note: html` ${state} ${one.edits > 0 && 'changed'} ${reaction}`,
      below: tapsOf(one).map(({ title, payload }) =>
        offer('tap', { message: one.id, payload }, `Tap “${title}” as ${person}`),
      ),
    });
  }
  function drawThread(thread: Thread, offer: Offer): Html {
    const [page, person] = [people.page(thread.page_id), people.byId(thread.parent_id)];
    const given = { person: thread.parent_id, page: thread.page_id };
    return drawConversation({
      title: `${person?.name} – ${page?.name}`,
      badges: [person?.unavailable === true && 'cannot be written to'],
      said: threads
        .messages(thread.id)
        .slice(-SHOWN_MESSAGES)
        .map((one) => drawMessage(one, thread, offer)),
      offers: drawOffers(offer, [
        ['message', given, `Write as ${person?.name}`],
        ['read', given, `Read it as ${person?.name}`],
      ]),
    });
  }

  return Object.freeze({
    conversations: (count: number, offer: Offer) =>
      nodes
        .list('thread')
        .toSorted((a, b) => b.updated_at - a.updated_at)
        .slice(0, count)
        .map((thread) => drawThread(thread, offer)),
  });
}
