import { fixedId, randomText } from '../kit/ids.ts';
import type { TwinWorld } from '../kit/world.ts';
import { ABOUT } from './about.ts';
import type { Bot, Chat, ChatKind, Member, Message, OrderedError, SETTINGS, TelegramDocs } from './docs.ts';

export type World = TwinWorld<TelegramDocs, typeof SETTINGS, OrderedError>;

/** The user of Telegram itself, which forwards channel posts to discussion groups. */
export const SERVICE = '777000';

const SECRET_BYTES = 27;

export const newSecret = (): string => randomText(SECRET_BYTES).slice(0, 35).padEnd(35, 'x');

/** An id of ten digits that is always the same for the same words. */
export const shortId = (...words: readonly string[]): string => `7${fixedId(ABOUT.slug, ...words).slice(-9)}`;

export const tokenOf = ({ id, secret }: Bot): string => `${id}:${secret}`;

export function makeChats({ docs, options: { clock }, people }: Pick<World, 'docs' | 'options' | 'people'>) {
  const get = (id: string) => docs.get('chat', id);

  function make(type: ChatKind, id: string, more: Partial<Chat>): Chat {
    return docs.put('chat', { id, at: clock.now(), type, members: {}, next: 1, ...more });
  }

  const dialog = (bot: string, person: string) => get(`${bot}/${person}`);

  const member = ({ members }: Chat, id: string): Member =>
    (Object.hasOwn(members, id) ? members[id] : undefined) ?? { status: 'left' };
  return Object.freeze({
    get,
    make,
    dialog,
    all: () => docs.list('chat'),
    named: (username: string) =>
      docs.list('chat').find((chat) => chat.username?.toLowerCase() === username.replace(/^@/, '').toLowerCase()),
    /** Opens a person's chat with a bot, or opens it again. */
    begin(bot: string, person: string): Chat {
      const known = dialog(bot, person);
      if (known) return docs.change('chat', known.id, { is_blocked: false });
      const members = { [bot]: { status: 'member' }, [person]: { status: 'member' } } as const;
      return make('private', `${bot}/${person}`, { members });
    },
    member,
    isAdmin: (chat: Chat, id: string) => ['creator', 'administrator'].includes(member(chat, id).status),
    setMember: (chat: string, id: string, status: Member['status']) =>
      docs.change('chat', chat, { members: { ...get(chat)!.members, [id]: { status } } }),
    message: (chat: string, n: number): Message | undefined => docs.getLive('message', `${chat}#${n}`),
    messages: (chat: string) => docs.list('message', { page: chat }),
    /** Adds a message with the next number of the chat. */
    write(chat: string, content: Omit<Message, 'id' | 'at' | 'page_id' | 'n'>): Message {
      const { next } = get(chat)!;
      docs.change('chat', chat, { next: next + 1 });
      return docs.put('message', { ...content, id: `${chat}#${next}`, at: clock.now(), page_id: chat, n: next });
    },
    nameOf(id: string): string {
      return people.byId(id)?.name ?? docs.get('bot', id)?.name ?? get(id)?.title ?? 'Telegram';
    },
  });
}

export type Chats = ReturnType<typeof makeChats>;
