/** What acts name on Telegram, and how people say things there. */
import { PageError } from '../../forms.ts';
import { actsIn, long, maybe, oneOf, optional, pick, short, type Filled } from '../../kit/acts.ts';
import { fileBlank, pickPerson } from '../../kit/blanks.ts';
import { seconds } from '../../kit/ids.ts';
import type { Chat, Media, Member } from '../docs.ts';
import type { Parts } from '../methods/calls.ts';
import type { Saying, Talk } from '../talk.ts';
import { withFound } from '../text/entities.ts';

const KINDS = ['photo', 'video', 'voice', 'audio', 'document'] as const;
const NOTHING = { text: undefined, kind: undefined, picture_url: undefined, content: undefined, name: undefined };

export type Blanks = ReturnType<typeof makeBlanks>;

export function makeBlanks({ world, chats, render, updates }: Parts, talk: Talk) {
  const { docs, people, files, fetching, options, pickDoc } = world;
  const bots = () => docs.list('bot');
  const places = () => chats.all().filter(({ type }) => type !== 'private');
  const labelOf = ({ title, username, id }: Chat) => title ?? username ?? id;

  const kept = async (base64: string | undefined) =>
    base64 === undefined ? undefined : files.keep(Buffer.from(base64, 'base64'), 'file');
  /** What somebody says: a text, and a file at an address or in base64. */
  const words = {
    text: optional(long('Text')),
    kind: optional(oneOf('File as', KINDS)),
    picture_url: fileBlank(fetching),
    content: { ...maybe('Content of a file, in base64'), read: kept },
    name: maybe('Name of the file'),
  };

  function mediaOf({ kind, picture_url, content, name }: Filled<typeof words>): Media | undefined {
    const blob = content === undefined ? picture_url : { ...content, name: name ?? content.name };
    if (blob === undefined) return undefined;
    const { id, mime, size, name: called } = blob;
    const as = KINDS.find((one) => one === kind) ?? 'photo';
    return { kind: as, blob: id, mime, size, name: called, width: 320, height: 240, duration: 3 };
  }

  return Object.freeze({
    act: actsIn(options.store),
    words,
    person: pickPerson('Person', people.find, people.all),
    bot: pick(
      'Bot',
      'bot',
      (words) => bots().find(({ id, username }) => [id, `@${username}`, username].includes(words)),
      () => bots().map(({ id, username }) => ({ value: id, label: `@${username}` })),
    ),
    chat: pick(
      'Chat',
      'chat',
      (words) => chats.get(words) ?? chats.named(words) ?? chats.all().find(({ title }) => title === words),
      () => places().map((one) => ({ value: one.id, label: labelOf(one) })),
    ),
    message: pickDoc(
      'message',
      ({ from, sender_chat, text, media }) =>
        `${chats.nameOf(from ?? sender_chat ?? '')}: ${short(text || (media?.kind ?? ''))}`,
    ),

    /** Says something. Inside a transaction. */
    say(where: Chat, by: string, filled: Partial<Filled<typeof words>>, more: Partial<Saying> = {}) {
      const media = mediaOf({ ...NOTHING, ...filled });
      const said = withFound({ text: filled.text ?? '', entities: [] });
      if (said.text === '' && media === undefined) throw new PageError(400, 'There is nothing to say.');
      const made = talk.say(chats.get(where.id)!, by, { ...said, media, ...more });
      return { chat: made.page_id, message_id: made.n, message: made.id };
    },

    /** Tells a bot that its place in a chat has changed. Inside a transaction. */
    tellStatus(to: string, chat: Chat, by: string, statuses: readonly Member['status'][]): void {
      const [old_chat_member, new_chat_member] = statuses.map((status) => render.memberOf(chat, to, { status }));
      const about = { chat: render.chatOf(chat), from: render.userOf(by), date: seconds(options.clock.now()) };
      updates.tell(to, 'my_chat_member', { ...about, old_chat_member, new_chat_member });
    },
  });
}
