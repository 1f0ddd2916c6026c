/** Conversations of business accounts, drawn for the console. */
import { html, type Html } from '../../html.ts';
import { drawConversation, drawOffers, drawSaid } from '../../kit/drawing.ts';
import type { Offer } from '../../twin.ts';
import { ABOUT } from '../about.ts';
import type { Fields, Message } from '../docs.ts';
import { asText } from '../../kit/api/checks.ts';
import type { Parts } from '../parts.ts';

const SHOWN = 10;

/** The conversations with the newest messages. */
export function drawConversations({ world, names, talk }: Parts, count: number, offer: Offer): readonly Html[] {
  const { docs } = world;
  function drawMessage({ id, page_id, isOwn, type, body, at, source }: Message, person: string): Html {
    const [card] = (body['elements'] ?? []) as readonly Readonly<{ title: string; buttons: readonly Fields[] }>[];
    const presses = card?.buttons.map(
      ({ text }) => ['press', { message: id, button: asText(text) }, asText(text)] as const,
    );
    const media = asText(body['media_id']);
    const file = docs.get('picture', media)?.blob ?? media;
    return drawSaid({
      isOwn,
      author: names.creator(isOwn ? page_id : person).name,
      badges: [type !== 'text' && type, isOwn && source === 'APP' && 'without the app'],
      text: card?.title ?? body['body'],
      media: file !== '' && html`<a href="/sandbox/${ABOUT.slug}/cdn/${file}">File</a>`,
      at,
      offers: drawOffers(offer, presses ?? []),
    });
  }
  return docs
    .list('conversation')
    .toReversed()
    .slice(0, count)
    .map((of) => {
      const [person, account] = [names.creator(of.person), names.creator(of.page_id)];
      const pair = { person: person.handle, account: account.handle };
      return drawConversation({
        title: `${person.name} and ${account.name}`,
        badges: [of.follows && 'follows'],
        said: talk
          .messages(of)
          .slice(-SHOWN)
          .map((one) => drawMessage(one, of.person)),
        offers: drawOffers(offer, [
          ['write', pair, 'Write'],
          ['read', pair, 'Read'],
        ]),
      });
    });
}
