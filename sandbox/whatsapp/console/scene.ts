/** What the console shows: people, tokens of owners, and chats as they look on a phone. */
import { html, type Html } from '../../html.ts';
import type { Person } from '../../graph/docs.ts';
import { fileUrl } from '../../graph/world.ts';
import { drawOffers, drawPicture, makeTalks, type Drawing } from '../../kit/drawing.ts';
import { personView } from '../../kit/people.ts';
import type { Offer, Resident, SandboxPerson } from '../../twin.ts';
import { ABOUT } from '../about.ts';
import type { Customers } from '../customers.ts';
import type { Bubble, PhoneNumber } from '../docs.ts';
import type { Chats } from '../messages/chats.ts';
import type { World } from '../world.ts';

type TokenOf = (person: Person) => string;

const drawBadge = (isVisible: boolean, words: string) => isVisible && html`<span class="badge">${words}</span>`;

function drawingOwners({ nodes, people }: World, tokenOf: TokenOf) {
  const numbersOf = ({ id }: Person): readonly PhoneNumber[] =>
    people.rolesOf(id).flatMap(({ page_id }) => nodes.list('number', { page: page_id }));

  function known(person: Person): SandboxPerson {
    const [first] = numbersOf(person);
    const form = first && { phone_number_id: first.id, waba_id: first.page_id, access_token: tokenOf(person) };
    return { ...personView(ABOUT.slug, person, { posts: 0 }), ...(form && { credentials: form, form }) };
  }

  const drawNumber = ({ id, display, verified_name, isVerified, isRegistered, code, page_id }: PhoneNumber): Html =>
    html`<li>
      ${display}, ${verified_name} ${drawBadge(people.page(page_id)?.subscription !== undefined, 'pushes to the app')}
      ${drawBadge(!isVerified, 'not verified')} ${drawBadge(!isRegistered, 'not registered')}<br />
      <small
        >phone_number_id <code>${id}</code>, waba_id
        <code>${page_id}</code>${code !== undefined && html`, code by SMS <code>${code.value}</code>`}</small
      >
    </li>`;

  function drawOwner(person: Person): Html {
    const numbers = numbersOf(person);
    if (numbers.length === 0) return html`Can be connected, but has no number.`;
    return html`Owner of
      <ul>
        ${numbers.map(drawNumber)}
      </ul>
      <details>
        <summary>System user token</summary>
        <code>${tokenOf(person)}</code>
      </details>`;
  }

  return Object.freeze({ known, drawOwner });
}

function drawingChats(world: World, customers: Customers, chats: Chats) {
  const { nodes } = world;

  function sidesOf(id: string) {
    const chat = nodes.get('chat', id);
    const number = nodes.get('number', chat?.page_id ?? '');
    return { chat, number, person: customers.byId(chat?.parent_id ?? '') };
  }
  function drawMedia({ media: id = '', type }: Bubble): Html | false {
    const media = nodes.get('media', id);
    if (media === undefined) return false;
    const url = fileUrl(world, media.blob);
    const isPicture = media.mime.startsWith('image/');
    return isPicture ? drawPicture(url, type) : html`<a href="${url}">${type}</a>`;
  }
  function drawBubble(one: Bubble, offer: Offer): Drawing {
    const { number, person } = sidesOf(one.parent_id);
    const failure = one.failure && ` ${one.failure.code}: ${one.failure.details}`;
    return {
      isOwn: one.isOwn,
      author: one.isOwn ? number?.verified_name : person?.name,
      badges: [one.isByApp && 'by the app', one.type !== 'text' && one.type],
      text: one.text,
      media: html`${drawMedia(one)}`,
      at: one.at,
      note: html` ${one.isOwn && one.state}${failure !== undefined && html`<span class="bad">${failure}</span>`}`,
      below: one.choices.map(({ id, title }) =>
        offer('tap', { message: one.id, choice: id }, `Tap “${title}” as ${person?.name}`),
      ),
    };
  }

  return makeTalks<Bubble>({
    messages: () => nodes.list('bubble'),
    of: ({ parent_id }) => parent_id,
    draw: drawBubble,
    about(id, offer) {
      const { chat, number, person } = sidesOf(id);
      const { name = '', username, isStranger, blocked, isOptedOut } = person ?? {};
      const given = { person: person?.id ?? '', number: number?.id ?? '' };
      return {
        title: `${name} – ${number?.verified_name} ${number?.display}`,
        badges: [
          isStranger === true && 'not on WhatsApp',
          username !== undefined && `@${username}`,
          blocked?.includes(given.number) === true && 'has blocked the number',
          isOptedOut === true && 'takes no marketing',
          chats.isOpen(chat) ? 'may be written to' : 'templates only',
        ],
        offers:
          isStranger !== true && drawOffers(offer, given, { message: `Write as ${name}`, read: `Read it as ${name}` }),
      };
    },
  });
}

export function makeScene(world: World, customers: Customers, chats: Chats, tokenOf: TokenOf) {
  const { people } = world;
  const { known, drawOwner } = drawingOwners(world, tokenOf);
  const resident = (handle: string, name: string, part: Html): Resident => ({ handle, name, path: undefined, part });

  return Object.freeze({
    known,
    history: () => [],
    cast: () => [
      ...people.owners().map((one) => resident(one.handle, one.name, drawOwner(one))),
      ...customers
        .all()
        .map(({ digits, name }) => resident(`+${digits}`, name, html`Customer: writes, taps and reads.`)),
    ],
    conversations: drawingChats(world, customers, chats),
  });
}
