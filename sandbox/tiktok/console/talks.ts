import { html, plain } from '../../html.ts';
import { drawOffers, makeTalks, type Drawing } from '../../kit/drawing.ts';
import type { Offer } from '../../twin.ts';
import { ABOUT } from '../about.ts';
import type { Fields, Message } from '../docs.ts';
import { asText } from '../../kit/api/checks.ts';
import type { Parts } from '../parts.ts';

export function makeConversations({ world: { docs }, names }: Pick<Parts, 'world' | 'names'>) {
  function drawMessage({ id, page_id, parent_id, isOwn, type, body, at, source }: Message, offer: Offer): Drawing {
    const [card] = (body['elements'] ?? []) as readonly Readonly<{ title: string; buttons: readonly Fields[] }>[];
    const presses = card?.buttons.map(
      ({ text }) => ['press', { message: id, button: asText(text) }, asText(text)] as const,
    );
    const media = asText(body['media_id']);
    const file = docs.get('picture', media)?.blob ?? media;
    return {
      isOwn,
      author: names.creator(isOwn ? page_id : docs.get('conversation', parent_id)!.person).name,
      badges: [type !== 'text' && type, isOwn && source === 'APP' && 'without the app'],
      text: plain(card?.title ?? body['body']),
      media: file !== '' && html`<a href="/sandbox/${ABOUT.slug}/cdn/${file}">File</a>`,
      at,
      offers: drawOffers(offer, {}, {}, presses),
    };
  }
  return makeTalks<Message>({
    messages: () => docs.list('message'),
    of: ({ parent_id }) => parent_id,
    draw: drawMessage,
    about(id, offer) {
      const { page_id, person: other, follows } = docs.get('conversation', id)!;
      const [person, account] = [names.creator(other), names.creator(page_id)];
      const pair = { person: person.handle, account: account.handle };
      return {
        title: `${person.name} and ${account.name}`,
        badges: [follows && 'follows'],
        offers: drawOffers(offer, pair, { write: 'Write', read: 'Read' }),
      };
    },
  });
}
