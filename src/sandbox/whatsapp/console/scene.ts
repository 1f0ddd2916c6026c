/** What the console shows: the people, the keys of owners, and the chats as phones show them. */
import { html, type Html } from '../../html.ts';
import type { Person } from '../../graph/docs.ts';
import { drawConversation, drawOffers, drawSaid } from '../../kit/drawing.ts';
import { shownPerson } from '../../kit/people.ts';
import { fileUrl } from '../../graph/world.ts';
import type { Offer, Resident, SandboxPerson } from '../../twin.ts';
import { ABOUT } from '../about.ts';
import type { Customers } from '../customers.ts';
import type { Bubble, Chat, PhoneNumber } from '../docs.ts';
import type { Chats } from '../messages/chats.ts';
import type { World } from '../world.ts';

const SHOWN_MESSAGES = 12;

type TokenOf = (person: Person) => string;

/** Owners with their numbers and keys. */
function drawingOwners({ nodes, people }: World, tokenOf: TokenOf) {
  const numbersOf = ({ id }: Person): readonly PhoneNumber[] =>
    people.rolesOf(id).flatMap(({ page_id }) => nodes.list('number', { page: page_id }));

  function known(person: Person): SandboxPerson {
    const [first] = numbersOf(person);
    const shown = shownPerson(ABOUT.slug, person, { posts: 0 });
    if (first === undefined) return shown;
    const form = { phone_number_id: first.id, waba_id: first.page_id, access_token: tokenOf(person) };
    return { ...shown, credentials: form, form };
  }

  const drawNumber = ({ id, display, verified_name, isVerified, isRegistered, code, page_id }: PhoneNumber): Html => {
    const subscribed = people.page(page_id)?.subscription !== undefined;
    return html`<li>
      ${display}, ${verified_name} ${subscribed && html`<span class="badge">pushes to the app</span>`}
      ${!isVerified && html`<span class="badge">not verified</span>`}
      ${!isRegistered && html`<span class="badge">not registered</span>`}<br />
      <small
        >phone_number_id <code>${id}</code>, waba_id
        <code>${page_id}</code>${code !== undefined && html`, code by SMS <code>${code.value}</code>`}</small
      >
    </li>`;
  };
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

/** Chats as phones show them. */
function drawingChats(world: World, customers: Customers, chats: Chats) {
  const { nodes } = world;

  function drawMedia({ media: id, type }: Bubble): Html | false {
    const media = id === undefined ? undefined : nodes.get('media', id);
    if (media === undefined) return false;
    const url = fileUrl(world, media.blob);
    if (media.mime.startsWith('image/')) return html`<img src="${url}" alt="${type}" loading="lazy" />`;
    return html`<a href="${url}">${type}</a>`;
  }
  function drawBubble(one: Bubble, name: string, number: PhoneNumber | undefined, offer: Offer): Html {
    const failure = one.failure && ` ${one.failure.code}: ${one.failure.details}`;
    return drawSaid({
      isOwn: one.isOwn,
      author: one.isOwn ? number?.verified_name : name,
      badges: [one.isByApp && 'by the app', one.type !== 'text' && one.type],
      text: one.text,
      media: html`${drawMedia(one)}`,
      at: one.at,
      note: html` ${one.isOwn && one.state}${failure !== undefined && html`<span class="bad">${failure}</span>`}`,
      below: one.choices.map(({ id, title }) =>
        offer('tap', { message: one.id, choice: id }, `Tap “${title}” as ${name}`),
      ),
    });
  }
  function drawChat(chat: Chat, offer: Offer): Html {
    const number = nodes.get('number', chat.page_id);
    const customer = customers.byId(chat.parent_id);
    const name = customer?.name ?? '';
    const given = { person: chat.parent_id, number: chat.page_id };
    return drawConversation({
      title: `${name} – ${number?.verified_name} ${number?.display}`,
      badges: [
        customer?.isStranger === true && 'not on WhatsApp',
        customer?.username !== undefined && `@${customer.username}`,
        customer?.blocked.includes(chat.page_id) === true && 'has blocked the number',
        customer?.isOptedOut === true && 'takes no marketing',
        chats.isOpen(chat) ? 'may be written to' : 'templates only',
      ],
      said: chats
        .bubbles(chat.id)
        .slice(-SHOWN_MESSAGES)
        .map((one) => drawBubble(one, name, number, offer)),
      offers:
        customer?.isStranger !== true &&
        drawOffers(offer, [
          ['message', given, `Write as ${name}`],
          ['read', given, `Read it as ${name}`],
        ]),
    });
  }

  return drawChat;
}

/** Draws the twin; `tokenOf` is the token of an owner's system user. */
export function makeScene(world: World, customers: Customers, chats: Chats, tokenOf: TokenOf) {
  const { nodes, people, settings } = world;
  const { known, drawOwner } = drawingOwners(world, tokenOf);
  const drawChat = drawingChats(world, customers, chats);

  return Object.freeze({
    known,
    cast: (): readonly Resident[] => [
      ...people.owners().map((one) => ({ handle: one.handle, name: one.name, path: undefined, part: drawOwner(one) })),
      ...customers.all().map(({ digits, name }) => ({
        handle: `+${digits}`,
        name,
        path: undefined,
        part: html`Customer: writes, taps and reads.`,
      })),
    ],
    conversations: (count: number, offer: Offer) =>
      nodes
        .list('chat')
        .toSorted((a, b) => b.updated_at - a.updated_at)
        .slice(0, count)
        .map((chat) => drawChat(chat, offer)),
    lists: {
      accounts: () => people.pages(),
      numbers: () => nodes.list('number'),
      customers: () =>
        nodes.list('customer').map((one) => ({
          ...one,
          user_ids: Object.fromEntries(people.pages().map(({ id }) => [id, customers.userId(one, id)])),
        })),
      chats: () => nodes.list('chat'),
      messages: () => nodes.list('bubble'),
      templates: () => nodes.list('template'),
      media: () => nodes.list('media'),
      settings: () => settings.all(),
    },
  });
}
