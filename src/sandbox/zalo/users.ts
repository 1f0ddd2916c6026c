/** What users do: they write, press, react, read and follow. */
import { PageError } from '../forms.ts';
import { long, maybe, must, number, text, there, type Act, type Acts, type Values } from '../kit/acts.ts';
import type { Parts } from './api/calls.ts';
import { REFUSALS, type Fields, type Message, type Tie } from './docs.ts';
import type { Saying } from './talk.ts';

const KINDS = [
  'text',
  'image',
  'gif',
  'sticker',
  'audio',
  'video',
  'file',
  'link',
  'location',
  'business_card',
] as const;
type Kind = (typeof KINDS)[number];
/** What the list of a conversation calls them. */
const LISTED: Readonly<Record<Kind, Message['type']>> = {
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
};
const MOST_BYTES = 50_000_000;
const HARBOUR = { latitude: '10.7769', longitude: '106.7009' };
export const ACCOUNT = { label: 'Official account', kind: 'account' } as const;
const WHO = { label: 'User', kind: 'person' } as const;
const MESSAGE = { label: 'Message', kind: 'message' } as const;
export const PAIR = { person: WHO, account: ACCOUNT };

/** Finds those who are named in a form, and reads what they say. */
export function makeStage({ world, ties }: Parts) {
  const { people, docs, files, fetching, hosts, options } = world;

  const account = (values: Values) => {
    const found = there(people.find(must(values, 'account')), 'official account');
    return there(found.owner ? found : undefined, 'official account').id;
  };
  const tie = (values: Values): Tie => {
    const person = there(people.find(must(values, 'person')), 'user');
    const of = account(values);
    return options.store.write(() => ties.between(of, person.id));
  };
  const message = (values: Values): Message => there(docs.get('message', must(values, 'message')), 'message');

  /** What is attached to a message of a kind. */
  async function attached(kind: Kind, values: Values): Promise<readonly Fields[]> {
    const { content, url, name = 'file', sticker = '23311', latitude, longitude } = values;
    if (kind === 'text') return [];
    if (kind === 'sticker')
      return [{ type: kind, payload: { id: sticker, url: `${hosts.cdn()}/picture/${sticker}.png` } }];
    if (kind === 'location') {
      const place = { latitude: latitude ?? HARBOUR.latitude, longitude: longitude ?? HARBOUR.longitude };
      return [{ type: kind, payload: { coordinates: place } }];
    }
    if (kind === 'link' || kind === 'business_card') {
      const payload = {
        thumbnail: `${hosts.cdn()}/picture/1.png`,
        description: name,
        url: url ?? 'https://example.com/',
      };
      return [{ type: 'link', payload }];
    }
    const blob =
      content === undefined
        ? await fetching.media(url ?? '', MOST_BYTES)
        : await files.keep(Buffer.from(content, 'base64'), name);
    if (blob === undefined) throw new PageError(400, 'There is no file at this address.');
    const at = `${hosts.cdn()}/${blob.id}`;
    if (kind !== 'file') return [{ type: kind, payload: { thumbnail: at, url: at } }];
    const about = { url: at, size: String(blob.size), name: blob.name, checksum: files.sha256(blob.id) };
    return [{ type: kind, payload: { ...about, type: blob.name.split('.').at(-1) ?? '' } }];
  }

  async function said(values: Values): Promise<Readonly<{ kind: Kind; said: Saying }>> {
    const kind = KINDS.find((one) => one === values['kind']) ?? 'text';
    const words = values['text'] ?? '';
    if (kind === 'text' && words === '') throw new PageError(400, 'There is nothing to say.');
    return { kind, said: { type: LISTED[kind], text: words, attachments: await attached(kind, values) } };
  }

  return Object.freeze({ account, tie, message, said });
}
export type Stage = ReturnType<typeof makeStage>;

/** What users write. */
export function writingActs({ world, ties, talk, events }: Parts, stage: Stage): Acts {
  const { options, docs } = world;
  const { store } = options;

  function press(values: Values): string {
    const { id, parent_id, buttons = [], src } = stage.message(values);
    const tie = ties.get(parent_id)!;
    const button = buttons.find(({ title }) => title === must(values, 'button'));
    if (button === undefined || src === 1) throw new PageError(404, 'There is no such button.');
    return store.write(() => {
      const { type, payload } = button;
      if (String(type).startsWith('oa.query.'))
        return talk.fromUser(tie, 'text', { type: 'text', text: String(payload), attachments: [] }).id;
      events.fromUser(talk.act(tie), 'user_click_button', { message: { msg_id: id }, button });
      return id;
    });
  }

  return {
    write: {
      group: 'people',
      title: 'Write to an official account',
      fields: {
        ...PAIR,
        text: { ...long('Text'), optional: true },
        kind: { label: 'Kind', kind: 'choice', choices: KINDS, optional: true },
        url: maybe('Address of a file or link'),
        content: maybe('Content of a file, in base64'),
        name: maybe('Name of the file'),
        quote: maybe('Id of the message that is answered'),
        sticker: maybe('Id of the sticker'),
        latitude: maybe('Latitude'),
        longitude: maybe('Longitude'),
      },
      async run(values: Values) {
        const tie = stage.tie(values);
        const { kind, said } = await stage.said(values);
        return store.write(() => talk.fromUser(tie, kind, { ...said, quoted: values['quote'] }).id);
      },
    },
    write_anonymously: {
      group: 'people',
      title: 'Write in the web chat of an official account',
      fields: { account: ACCOUNT, text: long('Text'), visitor: maybe('Id of the visitor; empty is a new one') },
      run: (values: Values) =>
        store.write(() => {
          const account = stage.account(values);
          const { visitor } = values;
          const tie = visitor === undefined ? ties.visitor(account) : there(ties.get(visitor), 'visitor');
          const said = { type: 'text', text: must(values, 'text'), attachments: [] } as const;
          return { visitor: tie.id, conversation: tie.conversation, message: talk.fromUser(tie, 'text', said).id };
        }),
    },
    press: {
      group: 'people',
      title: 'Press a button',
      fields: { message: MESSAGE, button: text('Button') },
      run: press,
    },
    react: {
      group: 'people',
      title: 'React to a message',
      fields: { message: MESSAGE, icon: maybe('Reaction') },
      run: (values: Values) =>
        store.write(() => {
          const { id, parent_id, reactions } = stage.message(values);
          const react_icon = values['icon'] ?? '/-heart';
          docs.change('message', id, { reactions: { ...reactions, [parent_id]: react_icon } });
          events.fromUser(talk.act(ties.get(parent_id)!), 'user_reacted_message', {
            message: { msg_id: id, react_icon },
          });
        }),
    },
  };
}

/** What else users do. */
export function userActs({ world, ties, talk, events }: Parts, stage: Stage): Acts {
  const { store } = world.options;
  const { docs } = world;

  const follow = (title: string, follows: boolean): Act => ({
    group: 'people',
    title,
    fields: PAIR,
    run: (values: Values) => {
      const tie = stage.tie(values);
      return store.write(() => events.following(ties.change(tie.id, { follows }), follows ? 'follow' : 'unfollow'));
    },
  });

  return {
    read: {
      group: 'people',
      title: 'Read what an official account wrote',
      fields: PAIR,
      run(values: Values) {
        const tie = stage.tie(values);
        return store.write(() => {
          const unseen = talk.messages(tie).filter(({ src, seen }) => src === 0 && seen !== true);
          for (const { id } of unseen) docs.change('message', id, { seen: true });
          const msg_ids = unseen.map(({ id }) => id);
          if (msg_ids.length > 0) events.fromUser(tie, 'user_seen_message', { message: { msg_ids } });
          return msg_ids;
        });
      },
    },
    follow: follow('Follow an official account', true),
    unfollow: follow('Stop following an official account', false),
    refuse: {
      group: 'people',
      title: 'Refuse messages of an official account',
      fields: {
        ...PAIR,
        how: { label: 'How; empty is no longer', kind: 'choice', choices: Object.keys(REFUSALS), optional: true },
      },
      run(values: Values) {
        const { id } = stage.tie(values);
        return store.write(() => void ties.change(id, { refuses: values['how'] as keyof typeof REFUSALS | undefined }));
      },
    },
    share: {
      group: 'people',
      title: 'Share name, phone and address',
      fields: { ...PAIR, name: text('Name'), phone: text('Phone'), address: maybe('Address') },
      run(values: Values) {
        const { id } = stage.tie(values);
        const { name = '', phone = '', address = '' } = values;
        const shared = { name, phone, address, city: '', district: '' };
        store.write(() => events.fromUser(talk.act(ties.change(id, { shared })), 'user_submit_info', { info: shared }));
      },
    },
    view: {
      group: 'people',
      title: 'Look at an article',
      fields: { article: { label: 'Article', kind: 'article' }, likes: { ...number('Likes'), optional: true } },
      run(values: Values) {
        const { id, views, likes } = there(docs.get('article', must(values, 'article')), 'article');
        docs.change('article', id, { views: views + 1, likes: likes + Number(values['likes'] ?? 0) });
      },
    },
  };
}
