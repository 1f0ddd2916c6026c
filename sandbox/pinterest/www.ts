/** The public website: people, boards, pins and the consent page. */
import { html, plain, type Html } from '../html.ts';
import { drawLink, drawOffers, drawPicture, drawPost, drawContentWithAuthor } from '../kit/drawing.ts';
import { makeSite } from '../kit/site.ts';
import type { Offer } from '../twin.ts';
import { ABOUT } from './about.ts';
import type { Pin } from './docs.ts';
import type { Login } from './login.ts';
import type { Pins, World } from './world.ts';

const fileUrl = (blob: string) => `/sandbox/${ABOUT.slug}/cdn/${blob}`;

export function openSite({ docs, people, options }: World, pins: Pins, login: Login) {
  function draw(pin: Pin, offer?: Offer): Html {
    const { id, page_id, parent_id, fields, pictures, video, at, comments, trial, deleted_at } = pin;
    const given = { pin: id };
    return drawPost({
      author: people.byId(page_id)!.name,
      badges: [docs.get('board', parent_id)?.name, deleted_at !== undefined && 'deleted', trial && 'on trial'],
      text: html`${fields['title'] !== undefined && html`<strong>${plain(fields['title'])}</strong> `}${plain(fields['description'])}`,
      media: html`${video !== undefined && html`<video controls src="${fileUrl(video)}"></video>`}
      ${pictures.map(({ blob }) => drawPicture(fileUrl(blob), String(plain(fields['alt_text']) ?? '')))}
      ${drawLink(fields['link'])}`,
      at,
      ...(pins.isPublic(pin) && { path: new URL(pins.linkOf(id)).pathname }),
      note: html` <code>${id}</code>`,
      offers:
        deleted_at === undefined &&
        drawOffers(offer, given, { comment: 'Comment', react: 'Like', save: 'Save', click: 'Click' }),
      below: comments.map(({ person, text, at: when }) =>
        drawContentWithAuthor({ author: people.byId(person)!.name, text, at: when }),
      ),
    });
  }
  const viewOf = (where: Parameters<Pins['pins']>[0]) => pins.pins(where).filter(pins.isPublic);

  return makeSite<Pin>({
    about: ABOUT,
    dialog: login.consent,
    isDialog: (path) => path === 'oauth',
    at([first = '', second, ...more]) {
      if (more.length > 0) return undefined;
      if (first === 'pin') return { post: pins.pin(second ?? '') };
      const person = people.owners().find(({ handle }) => handle === first);
      if (person === undefined) return undefined;
      if (second === undefined) return { name: person.name, posts: viewOf({ page: person.id }) };
      const board = pins.boards(person.id).find(({ name, privacy }) => name === second && privacy === 'PUBLIC');
      return board && { name: board.name, about: board.description, posts: viewOf({ parent: board.id }) };
    },
    isPublic: pins.isPublic,
    nameOf: ({ page_id }) => people.byId(page_id)?.name,
    seen: (pin) => options.store.write(() => pins.count(pin, 'IMPRESSION')),
    draw,
    posts: () => docs.list('pin'),
  });
}
