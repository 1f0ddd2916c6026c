/** What users do: write, press buttons, react, read and follow. */
import { PageError } from '../forms.ts';
import {
  actsIn,
  long,
  maybe,
  number,
  oneOf,
  optional,
  short,
  text,
  there,
  type Acts,
  type Filled,
} from '../kit/acts.ts';
import { pickPerson } from '../kit/action-fields.ts';
import type { Parts } from './api/calls.ts';
import { REFUSALS, type Fields, type Message } from './docs.ts';
import type { Saying } from './talk.ts';

/** The kinds of messages, with their names in lists of conversations. */
const KINDS = Object.freeze({
  text: 'text',
  image: 'photo',
  gif: 'gif',
  sticker: 'sticker',
  audio: 'voice',
  video: 'nosupport',
  file: 'nosupport',
  link: 'link',
  location: 'location',
  business_card: 'nosupport',
} satisfies Record<string, Message['type']>);
type Kind = keyof typeof KINDS;

const MOST_BYTES = 50_000_000;
const CONTENT_FIELDS = Object.freeze({
  text: optional(long('Text')),
  kind: optional(oneOf('Kind', Object.keys(KINDS))),
  url: maybe('Address of a file or link'),
  content: maybe('Content of a file, in base64'),
  name: maybe('Name of the file'),
  quote: maybe('Id of the message that is answered'),
  sticker: maybe('Id of the sticker'),
  latitude: maybe('Latitude'),
  longitude: maybe('Longitude'),
});
type Content = Filled<typeof CONTENT_FIELDS>;

export type ActionFields = ReturnType<typeof makeActionFields>;

export function makeActionFields({ world, ties }: Parts) {
  const { people, options, pickDoc } = world;
  const owner = (words: string) => people.owners().find(({ id }) => id === people.find(words)?.id);
  const pair = {
    person: pickPerson('User', people.find, people.followers),
    account: pickPerson('Official account', owner, people.owners),
  };
  return {
    act: actsIn(options.store),
    pair,
    account: pair.account,
    /** The relation of the person and the account that were chosen. Inside a transaction. */
    tieOf: ({ person, account }: Filled<typeof pair>) => ties.between(account.id, person.id),
    message: pickDoc('message', (one) => `${ties.nameOf(ties.get(one.parent_id)!)}: ${short(one.text || one.type)}`),
    article: pickDoc('article', ({ body }) => short(String(body['title']))),
  };
}

/** Makes the message of a user after its file was downloaded. */
function makeSaying({ world }: Parts) {
  const { files, fetching, hosts } = world;
  async function attached(kind: Kind, message: Content): Promise<Fields> {
    const { content, url, name = 'file', sticker = '23311', latitude = '10.7769', longitude = '106.7009' } = message;
    const picture = (id: string) => `${hosts.cdn()}/picture/${id}.png`;
    if (kind === 'sticker') return { type: kind, payload: { id: sticker, url: picture(sticker) } };
    if (kind === 'location') return { type: kind, payload: { coordinates: { latitude, longitude } } };
    if (kind === 'link' || kind === 'business_card')
      return {
        type: 'link',
        payload: { thumbnail: picture('1'), description: name, url: url ?? 'https://example.com/' },
      };
    const blob =
      content === undefined
        ? await fetching.media(url ?? '', MOST_BYTES)
        : await files.keep(Buffer.from(content, 'base64'), name);
    if (blob === undefined) throw new PageError(400, 'There is no file at this address.');
    const at = `${hosts.cdn()}/${blob.id}`;
    if (kind !== 'file') return { type: kind, payload: { thumbnail: at, url: at } };
    const about = { url: at, size: String(blob.size), name: blob.name, checksum: files.sha256(blob.id) };
    return { type: kind, payload: { ...about, type: blob.name.split('.').at(-1) ?? '' } };
  }
  return async function read(content: Content): Promise<Readonly<{ kind: Kind; saying: Saying }>> {
    const kind = (content.kind ?? 'text') as Kind;
    const { text: words = '', quote: quoted } = content;
    if (kind === 'text' && words === '') throw new PageError(400, 'There is nothing to say.');
    const attachments = kind === 'text' ? [] : [await attached(kind, content)];
    return { kind, saying: { type: KINDS[kind], text: words, attachments, quoted } };
  };
}

export function writingActs(parts: Parts, { act, pair, account, tieOf, message }: ActionFields): Acts {
  const { world, ties, talk, events } = parts;
  const { docs, options } = world;
  const read = makeSaying(parts);
  const plain = (words: string) => ({ type: 'text', text: words, attachments: [] }) as const;
  const write = act('people', 'Write to an official account', { ...pair, ...CONTENT_FIELDS }, (filled) => filled);

  return {
    // The file is downloaded before the transaction starts.
    write: {
      ...write,
      async run(values) {
        const filled = (await write.run(values)) as Filled<typeof pair> & Content;
        const { kind, saying } = await read(filled);
        return options.store.write(() => talk.fromUser(tieOf(filled), kind, saying).id);
      },
    },
    write_anonymously: act(
      'people',
      'Write in the web chat of an official account',
      { account, text: long('Text'), visitor: maybe('Id of the visitor; empty is a new one') },
      (content) => {
        const tie =
          content.visitor === undefined
            ? ties.visitor(content.account.id)
            : there(ties.get(content.visitor), 'visitor');
        const { id } = talk.fromUser(tie, 'text', plain(content.text));
        return { visitor: tie.id, conversation: tie.conversation, message: id };
      },
    ),
    press: act('people', 'Press a button', { message, button: text('Button') }, (pressed) => {
      const { id, parent_id, buttons = [], src } = pressed.message;
      const tie = ties.get(parent_id)!;
      const button = buttons.find(({ title }) => title === pressed.button);
      if (button === undefined || src === 1) throw new PageError(404, 'There is no such button.');
      if (String(button['type']).startsWith('oa.query.'))
        return talk.fromUser(tie, 'text', plain(String(button['payload']))).id;
      events.fromUser(talk.act(tie), 'user_click_button', { message: { msg_id: id }, button });
      return id;
    }),
    react: act('people', 'React to a message', { message, icon: maybe('Reaction') }, (by) => {
      const { id: msg_id, parent_id, reactions } = by.message;
      const react_icon = by.icon ?? '/-heart';
      docs.change('message', msg_id, { reactions: { ...reactions, [parent_id]: react_icon } });
      events.fromUser(talk.act(ties.get(parent_id)!), 'user_reacted_message', { message: { msg_id, react_icon } });
    }),
  };
}

export function userActs({ world, ties, talk, events }: Parts, { act, pair, article, tieOf }: ActionFields): Acts {
  const { docs } = world;
  const follow = (title: string, follows: boolean) =>
    act('people', title, pair, (by) =>
      events.following(ties.change(tieOf(by).id, { follows }), follows ? 'follow' : 'unfollow'),
    );
  return {
    read: act('people', 'Read what an official account wrote', pair, (by) => {
      const tie = tieOf(by);
      const unseen = talk.messages(tie).filter(({ src, seen }) => src === 0 && seen !== true);
      for (const { id } of unseen) docs.change('message', id, { seen: true });
      const msg_ids = unseen.map(({ id }) => id);
      if (msg_ids.length > 0) events.fromUser(tie, 'user_seen_message', { message: { msg_ids } });
      return msg_ids;
    }),
    follow: follow('Follow an official account', true),
    unfollow: follow('Stop following an official account', false),
    refuse: act(
      'people',
      'Refuse messages of an official account',
      { ...pair, how: optional(oneOf('How; empty is no longer', Object.keys(REFUSALS))) },
      (by) => void ties.change(tieOf(by).id, { refuses: by.how as keyof typeof REFUSALS | undefined }),
    ),
    share: act(
      'people',
      'Share name, phone and address',
      { ...pair, name: text('Name'), phone: text('Phone'), address: maybe('Address') },
      (by) => {
        const shared = { name: by.name, phone: by.phone, address: by.address ?? '', city: '', district: '' };
        events.fromUser(talk.act(ties.change(tieOf(by).id, { shared })), 'user_submit_info', { info: shared });
      },
    ),
    view: act(
      'people',
      'Look at an article',
      { article, likes: optional(number('Likes')) },
      ({ article: seen, likes }) => {
        docs.change('article', seen.id, { views: seen.views + 1, likes: seen.likes + Number(likes ?? 0) });
      },
    ),
  };
}
