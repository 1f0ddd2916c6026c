import { html, plain, webAddress, type Html } from '../../html.ts';
import { drawOffers, makeTalks, type Drawing } from '../../kit/drawing.ts';
import type { Offer } from '../../twin.ts';
import type { Message, Piece } from '../docs.ts';
import { buttonsOf } from './acts.ts';
import { fileUrl, type GraphWorld } from '../world.ts';

export type GraphScene = Readonly<{
  conversations(count: number, offer: Offer): readonly Html[];
}>;

export function makeScene(world: GraphWorld): GraphScene {
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
    return html`${text ?? (elements.map(({ title }) => title).join(' | ') || type)} `;
  }
  function drawLinks(message: Message): readonly Html[] {
    return buttonsOf(message).flatMap(({ type, title, url }) =>
      type === 'web_url'
        ? [html`<a href="${webAddress(url)}" rel="noopener noreferrer nofollow">${plain(title)}</a> `]
        : [],
    );
  }
  function sidesOf(id: string) {
    const thread = nodes.get('thread', id);
    return { page: people.page(thread?.page_id ?? ''), person: people.byId(thread?.parent_id ?? '') };
  }
  function drawMessage(one: Message, offer: Offer): Drawing {
    const { page, person } = sidesOf(one.parent_id);
    const unread = one.delivered ? 'delivered' : 'sent';
    const state = one.from_page && (one.read ? 'read' : unread);
    const reaction = one.reaction !== undefined && `reaction: ${one.reaction}`;
    return {
      isOwn: one.from_page,
      author: (one.from_page ? page : person)?.name,
      badges: [
        one.by_app && 'by the app',
        one.story && 'answers a story',
        one.referral && 'came by a link or ad',
        one.unsupported && 'cannot be shown',
      ],
      text: one.text,
      media: html`${one.pieces.map(drawPiece)} ${drawLinks(one)}`,
      at: one.at,
      note: html` ${state} ${one.edits > 0 && 'changed'} ${reaction}`,
      below: tapsOf(one).map(({ title, payload }) =>
        offer('tap', { message: one.id, payload }, `Tap “${title}” as ${person?.name}`),
      ),
    };
  }

  return Object.freeze({
    conversations: makeTalks<Message>({
      messages: () => nodes.list('message'),
      of: ({ parent_id }) => parent_id,
      draw: drawMessage,
      about(id, offer) {
        const { page, person } = sidesOf(id);
        const given = { person: person?.id ?? '', page: page?.id ?? '' };
        return {
          title: `${person?.name} – ${page?.name}`,
          badges: [person?.unavailable === true && 'cannot be written to'],
          offers: drawOffers(offer, given, { message: `Write as ${person?.name}`, read: `Read it as ${person?.name}` }),
        };
      },
    }),
  });
}
