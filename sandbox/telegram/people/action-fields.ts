import { PageError } from '../../forms.ts';
import { actsIn, flag, long, maybe, oneOf, optional, pick, short, type Filled } from '../../kit/acts.ts';
import { fileField, pickPerson } from '../../kit/action-fields.ts';
import { seconds } from '../../kit/ids.ts';
import type { Chat, Media, Member, Message } from '../docs.ts';
import type { Parts } from '../methods/calls.ts';
import type { Saying, Talk } from '../talk.ts';
import { withFound } from '../text/entities.ts';
import { readHtml } from '../text/html.ts';
import { SHARED } from './samples.ts';

const KINDS = ['photo', 'video', 'animation', 'video_note', 'voice', 'audio', 'document', 'sticker'] as const;

export const kindOf = ({ media, shared, service }: Pick<Message, 'media' | 'shared' | 'service'>): string | undefined =>
  media?.kind ?? Object.keys(shared ?? service ?? {})[0];

export type ActionFields = ReturnType<typeof makeActionFields>;

export function makeActionFields({ world, chats, render, updates }: Parts, talk: Talk) {
  const { docs, people, files, fetching, options, pickDoc } = world;
  const bots = () => docs.list('bot');
  const places = () => chats.all().filter(({ type }) => type !== 'private');
  const labelOf = ({ title, username, id }: Chat) => title ?? username ?? id;

  const kept = async (base64: string | undefined) =>
    base64 === undefined ? undefined : files.keep(Buffer.from(base64, 'base64'), 'file');
  /** A text, and a file given by URL or as base64. */
  const words = {
    text: optional(long('Text')),
    html: optional(flag('The text is HTML')),
    kind: optional(oneOf('File as', KINDS)),
    picture_url: fileField(fetching),
    content: { ...maybe('Content of a file, in base64'), read: kept },
    name: maybe('Name of the file'),
    shared: optional(oneOf('Or something else', Object.keys(SHARED))),
  };

  type Words = Partial<Filled<typeof words>>;

  function mediaOf({ kind, picture_url, content, name }: Words): Media | undefined {
    const blob = content === undefined ? picture_url : { ...content, name: name ?? content.name };
    if (blob === undefined) return undefined;
    const { id, mime, size, name: called } = blob;
    const as = KINDS.find((one) => one === kind) ?? 'photo';
    return { kind: as, blob: id, mime, size, name: called, width: 320, height: 240, duration: 3 };
  }

  function saidIn(filled: Words, where: Chat, by: string) {
    const { text = '', html = false, shared } = filled;
    const around = { user: render.userOf(by), chat: render.chatOf(where) };
    return {
      ...withFound(html ? readHtml(text) : { text, entities: [] }),
      media: mediaOf(filled),
      ...(shared !== undefined && { shared: { [shared]: SHARED[shared]!(around) } }),
    };
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
      ({ from, sender_chat, text, ...rest }) =>
        `${chats.nameOf(from ?? sender_chat ?? '')}: ${short(text || (kindOf(rest) ?? ''))}`,
    ),
    saidIn,

    say(where: Chat, by: string, filled: Words, more: Partial<Saying> = {}) {
      const content = saidIn(filled, where, by);
      if (content.text === '' && content.media === undefined && content.shared === undefined)
        throw new PageError(400, 'There is nothing to say.');
      const made = talk.say(chats.get(where.id)!, by, { ...content, ...more });
      return { chat: made.page_id, message_id: made.n, message: made.id };
    },

    /** Notifies a bot that its status in a chat has changed. Inside a transaction. */
    tellStatus(to: string, chat: Chat, by: string, statuses: readonly Member['status'][]): void {
      const [old_chat_member, new_chat_member] = statuses.map((status) => render.memberOf(chat, to, { status }));
      const about = { chat: render.chatOf(chat), from: render.userOf(by), date: seconds(options.clock.now()) };
      updates.tell(to, 'my_chat_member', { ...about, old_chat_member, new_chat_member });
    },
  });
}
