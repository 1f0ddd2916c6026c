/** What customers do with their phones. */
import { PageError } from '../../forms.ts';
import { makeCast } from '../../graph/people/cast.ts';
import { flag, isOn, maybe, must, text, there } from '../../kit/acts.ts';
import type { Act, Acts, Values } from '../../kit/acts.ts';
import type { Blob } from '../../kit/files.ts';
import { seconds } from '../../kit/ids.ts';
import type { Bubble, Customer, PhoneNumber } from '../docs.ts';
import type { World } from '../world.ts';
import type { Customers } from '../customers.ts';
import type { Chats, Phones } from '../messages/chats.ts';
import type { MediaFiles } from '../messages/media.ts';

export type CustomerParts = Readonly<{ customers: Customers; chats: Chats; phones: Phones; media: MediaFiles }>;

const person = { label: 'Who', kind: 'customer' } as const;
const number = { label: 'To which number', kind: 'number_id' } as const;
const KINDS = ['location', 'contacts', 'order', 'unsupported'] as const;

type Draft = Pick<Bubble, 'type' | 'content' | 'text'> & Readonly<{ media?: string }>;

/** Things that customers send and the contract of the app has no words for. */
const SHARED: Readonly<Record<(typeof KINDS)[number], Draft>> = {
  location: {
    type: 'location',
    content: { latitude: 52.52, longitude: 13.405, name: 'Harbour', address: 'Quay 1' },
    text: 'Harbour',
  },
  contacts: {
    type: 'contacts',
    content: [{ name: { formatted_name: 'Fay Friend', first_name: 'Fay' }, phones: [{ phone: '+12025550199' }] }],
    text: 'Fay Friend',
  },
  order: {
    type: 'order',
    content: {
      catalog_id: '1',
      product_items: [{ product_retailer_id: 'p1', quantity: '1', item_price: '5', currency: 'USD' }],
    },
    text: 'An order',
  },
  unsupported: { type: 'unsupported', content: undefined, text: 'Something the API cannot carry' },
};
const UNSUPPORTED = {
  code: 131051,
  title: 'Message type unknown',
  error_data: { details: 'Message type is currently not supported.' },
};

const typeOf = (mime: string): string =>
  mime === 'image/webp' ? 'sticker' : (/^(image|audio|video)\//.exec(mime)?.[1] ?? 'document');

/** A message out of a file. */
function fileDraft(
  blob: Blob,
  media: { id: string; sha256: string },
  caption: string | undefined,
  isVoice: boolean,
): Draft {
  const type = typeOf(blob.mime);
  const isCaptioned = caption !== undefined && type !== 'audio' && type !== 'sticker';
  const content = {
    id: media.id,
    mime_type: blob.mime,
    sha256: Buffer.from(media.sha256, 'hex').toString('base64'),
    ...(isCaptioned && { caption }),
    ...(type === 'document' && { filename: blob.name }),
    ...(type === 'audio' && { voice: isVoice }),
    ...(type === 'sticker' && { animated: false }),
  };
  return { type, content, text: isCaptioned ? caption : '', media: media.id };
}

/** What was come in by: an advertisement or a post. */
const referralOf = ({ ad_id, ref }: Values) =>
  ad_id === undefined
    ? {}
    : {
        referral: {
          source_url: `https://fb.me/${ad_id}`,
          source_id: ad_id,
          source_type: 'ad',
          headline: ref ?? 'An advertisement',
          body: 'Chat with us',
          media_type: 'image',
          image_url: 'https://scontent.example/ad.jpg',
          ctwa_clid: `clid-${ad_id}`,
        },
      };

type Find = Readonly<{
  who(values: Values): Customer;
  where(values: Values): PhoneNumber;
  messageOf(values: Values): Bubble;
  /** The two sides of a message. */
  sidesOf(bubble: Bubble): Readonly<{ from: Customer; to: PhoneNumber }>;
}>;

function lookups({ nodes }: World, { customers }: CustomerParts): Find {
  const who = (values: Values) => there(customers.find(must(values, 'person')), 'customer');
  return {
    who,
    where: (values) => {
      const wanted = must(values, 'number');
      return there(
        nodes.list('number').find(({ id, digits }) => [id, digits].includes(wanted)),
        'number',
      );
    },
    messageOf: (values) => there(nodes.get('bubble', must(values, 'message')), 'message'),
    sidesOf: ({ page_id, parent_id }) => ({
      from: there(customers.byId(nodes.get('chat', parent_id)?.parent_id ?? ''), 'customer'),
      to: there(nodes.get('number', page_id), 'number'),
    }),
  };
}

/** Writing, tapping and reacting. */
function writingActs(world: World, parts: CustomerParts, { who, where, messageOf, sidesOf }: Find): Acts {
  const { store } = world;
  const { phones, media } = parts;
  const { fileOf } = makeCast(world);
  const act = (title: string, fields: Act['fields'], run: Act['run']): Act => ({
    group: 'customer',
    title,
    fields,
    run,
  });

  return {
    message: act(
      'Write to a number',
      {
        person,
        number,
        text: { label: 'Text', kind: 'long', optional: true },
        attachment_url: maybe('Address of a picture, voice message or file'),
        voice: { ...flag('Voice message'), optional: true },
        reply_to: { label: 'In answer to', kind: 'message', optional: true },
        ad_id: maybe('Id of the advertisement they come from'),
        ref: maybe('Headline of the advertisement'),
      },
      async (values) => {
        const { text: body, attachment_url, reply_to: context } = values;
        if (body === undefined && attachment_url === undefined)
          throw new PageError(400, 'Write a text or name a file.');
        const blob = await fileOf(attachment_url);
        const [from, to] = [who(values), where(values)];
        return store.write(() => {
          const draft =
            blob === undefined
              ? { type: 'text', content: { body }, text: body ?? '' }
              : fileDraft(blob, media.received(to.id, blob), body, isOn(values['voice']));
          return phones.receive(to, from, { ...draft, ...(context !== undefined && { context }) }, referralOf(values));
        });
      },
    ),
    share: act(
      'Send something else',
      { person, number, kind: { label: 'What', kind: 'choice', choices: KINDS } },
      (values) =>
        store.write(() => {
          const kind = must(values, 'kind') as (typeof KINDS)[number];
          const beside = kind === 'unsupported' ? { errors: [UNSUPPORTED] } : {};
          return phones.receive(where(values), who(values), SHARED[kind], beside);
        }),
    ),
    tap: act(
      'Tap a button or pick a row',
      { message: { label: 'Message', kind: 'tappable' }, choice: text('Id of the button or row') },
      (values) =>
        store.write(() => {
          const bubble = messageOf(values);
          const chosen = bubble.choices.find(({ id }) => id === must(values, 'choice'));
          if (chosen === undefined) throw new PageError(404, 'The message has no such button or row.');
          const { kind, ...reply } = chosen;
          const content = kind === 'button' ? { payload: reply.id, text: reply.title } : { type: kind, [kind]: reply };
          const { from, to } = sidesOf(bubble);
          const type = kind === 'button' ? 'button' : 'interactive';
          return phones.receive(to, from, { type, content, text: reply.title, context: bubble.id });
        }),
    ),
    react: act(
      'React to a message',
      { message: { label: 'Message', kind: 'message' }, emoji: maybe('Emoji; none takes the reaction back') },
      (values) =>
        store.write(() => {
          const bubble = messageOf(values);
          const { from, to } = sidesOf(bubble);
          const { emoji } = values;
          const content = { message_id: bubble.id, ...(emoji !== undefined && { emoji }) };
          return phones.receive(to, from, { type: 'reaction', content, text: emoji ?? 'no reaction' });
        }),
    ),
  };
}

/** Reading, blocking, and what else is theirs to decide. */
function choosingActs(world: World, parts: CustomerParts, { who, where }: Find): Acts {
  const { store, nodes, clock } = world;
  const { chats, phones, customers } = parts;
  const inChat = (title: string, run: (chat: NonNullable<ReturnType<typeof chats.of>>) => void): Act => ({
    group: 'customer',
    title,
    fields: { person, number },
    run: (values) => store.write(() => run(there(chats.of(where(values).id, who(values).id), 'chat'))),
  });
  const act = (title: string, fields: Act['fields'], run: (values: Values, one: Customer) => unknown): Act => ({
    group: 'customer',
    title,
    fields: { person, ...fields },
    run: (values) => store.write(() => run(values, who(values))),
  });

  return {
    read: inChat('Read the chat', chats.read),
    deliver: inChat('Let messages arrive', (chat) => chats.bubbles(chat.id).forEach(chats.deliver)),
    block: act('Block a number, or no longer', { number }, (values, { id, blocked }) => {
      const { id: to } = where(values);
      const rest = blocked.filter((one) => one !== to);
      return nodes.change('customer', id, { blocked: rest.length < blocked.length ? rest : [...blocked, to] });
    }),
    opt_out: act('Stop marketing messages, or take them again', { number }, (values, one) => {
      const isOptedOut = one.isOptedOut !== true;
      const { contacts, from } = phones.sender(one, where(values));
      const preference = {
        wa_id: from.from,
        user_id: from.from_user_id,
        detail: isOptedOut
          ? 'User requested to stop marketing messages'
          : 'User requested to resume marketing messages',
        category: 'marketing_messages',
        value: isOptedOut ? 'stop' : 'resume',
        timestamp: String(seconds(clock.now())),
      };
      chats.tell(where(values), 'user_preferences', { ...contacts, user_preferences: [preference] });
      return nodes.change('customer', one.id, { isOptedOut });
    }),
    take_username: act(
      'Hide the number behind a username, or show it again',
      { username: maybe('Username; none shows the number') },
      ({ username }, { id }) => nodes.change('customer', id, { username }),
    ),
    change_number: act(
      'Get another phone number',
      { number, digits: text('New number, digits only') },
      (values, one) => {
        const digits = must(values, 'digits');
        if (!/^\d{7,15}$/.test(digits) || customers.find(digits) !== undefined)
          throw new PageError(400, 'A phone number has 7 to 15 digits, and is nobody else’s.');
        const body = `User ${one.name} changed from ${one.digits} to ${digits}`;
        const content = { body, type: 'user_changed_number', wa_id: digits };
        phones.receive(where(values), one, { type: 'system', content, text: body });
        return customers.renumber(one, digits);
      },
    ),
  };
}

/** The acts of customers. */
export function customerActs(world: World, parts: CustomerParts): Acts {
  const find = lookups(world, parts);
  return { ...writingActs(world, parts, find), ...choosingActs(world, parts, find) };
}
