/** Who acts where, and what they say. */
import { PageError } from '../../forms.ts';
import { long, maybe, must, there, type Values } from '../../kit/acts.ts';
import { seconds } from '../../kit/ids.ts';
import type { Chat, Media, MediaKind, Message } from '../docs.ts';
import type { Parts } from '../methods/calls.ts';
import type { Saying, Talk } from '../talk.ts';
import { withFound } from '../text/entities.ts';

const KINDS = ['photo', 'video', 'voice', 'audio', 'document'] as const;
const MOST_BYTES = 50_000_000;

export const WORDS = {
  text: { ...long('Text'), optional: true },
  kind: { label: 'File as', kind: 'choice', choices: KINDS, optional: true },
  picture_url: maybe('Address of a file'),
  content: maybe('Content of a file, in base64'),
  name: maybe('Name of the file'),
} as const;
export const BOT = { label: 'Bot', kind: 'bot' } as const;
export const WHO = { label: 'Person', kind: 'person' } as const;
export const CHAT = { label: 'Chat', kind: 'chat' } as const;
export const MESSAGE = { label: 'Message', kind: 'message' } as const;

export type Stage = ReturnType<typeof makeStage>;

/** Finds those who are named in a form, and lets them speak. */
export function makeStage({ world, chats, render, updates }: Parts, talk: Talk) {
  const { docs, people, files, options } = world;
  const { store } = options;

  const person = (values: Values, name = 'person') => there(people.find(must(values, name)), 'person');
  const bot = (values: Values) => {
    const words = must(values, 'bot').replace(/^@/, '');
    return there(
      docs.list('bot').find(({ id, username }) => id === words || username === words),
      'bot',
    );
  };
  const chat = (values: Values): Chat => {
    const words = must(values, 'chat');
    const found = chats.get(words) ?? chats.named(words) ?? chats.all().find(({ title }) => title === words);
    return there(found, 'chat');
  };
  const message = (values: Values): Message => {
    const [where = '', n = ''] = must(values, 'message').split('#');
    return there(chats.message(where, Number(n)), 'message');
  };

  async function fileIn({ kind, picture_url, content, name }: Values): Promise<Media | undefined> {
    const as = (KINDS.find((one) => one === kind) ?? 'photo') as MediaKind;
    if (picture_url === undefined && content === undefined) return undefined;
    const blob =
      content === undefined
        ? await world.fetching.media(picture_url!, MOST_BYTES)
        : await files.keep(Buffer.from(content, 'base64'), name ?? 'file');
    if (blob === undefined) throw new PageError(400, 'There is no file at this address.');
    const { id, mime, size, name: called } = blob;
    return { kind: as, blob: id, mime, size, name: called, width: 320, height: 240, duration: 3 };
  }

  async function say(where: Chat, by: string, values: Values, more: Partial<Saying> = {}) {
    const media = await fileIn(values);
    const said = withFound({ text: values['text'] ?? '', entities: [] });
    if (said.text === '' && media === undefined) throw new PageError(400, 'There is nothing to say.');
    const made = store.write(() => talk.say(chats.get(where.id)!, by, { ...said, media, ...more }));
    return { chat: made.page_id, message_id: made.n, message: made.id };
  }

  /** The chat of a person with a bot, which they have begun. */
  const dialog = (values: Values): Chat => {
    const found = chats.dialog(bot(values).id, person(values).id);
    if (found === undefined || found.is_blocked) throw new PageError(400, 'They have not started this bot.');
    return found;
  };

  /** Tells a bot that its place in a chat has changed. */
  function tellStatus(to: string, chat: Chat, by: string, [before, after]: readonly [string, string]): void {
    const user = render.userOf(to);
    const status = (one: string) => ({ status: one, user, ...(one === 'kicked' && { until_date: 0 }) });
    updates.tell(to, 'my_chat_member', {
      chat: render.chatOf(chat),
      from: render.userOf(by),
      date: seconds(options.clock.now()),
      old_chat_member: status(before),
      new_chat_member: status(after),
    });
  }

  return Object.freeze({ person, bot, chat, message, dialog, say, tellStatus });
}
