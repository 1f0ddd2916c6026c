import { route, type RouteCall, type Route } from '../../kit/api/routes.ts';
import type { Params } from '../../kit/api/params.ts';
import type { Chat } from '../docs.ts';
import { badRequest, forbidden } from '../errors.ts';
import type { Render } from '../render.ts';
import type { Updates } from '../updates.ts';
import { privateKey, type Chats, type World } from '../world.ts';

/** Who calls: a bot. */
export type BotCaller = Readonly<{ person: string; scopes: readonly string[] }>;
export type Call = RouteCall<BotCaller>;

/** What every method uses. */
export type Parts = Readonly<{ world: World; chats: Chats; render: Render; updates: Updates }>;

/** A method of the Bot API; it is asked for by GET and POST alike, and its result is wrapped. */
export function method(name: string, run: (call: Call) => unknown, effect = true): readonly Route<BotCaller>[] {
  const wrapped = async (call: Call) => ({ ok: true, result: await run(call) });
  return ['POST', 'GET'].map((verb) => route<BotCaller>(verb, `/bot{token}/${name}`, { effect }, wrapped));
}

/** A whole number, also a negative one; undefined if there is none. */
export function wholeIn(params: Params, name: string): number | undefined {
  const value = params.text(name);
  if (value === undefined || value === '') return undefined;
  if (!/^-?\d{1,16}$/.test(value)) throw badRequest(`invalid ${name} specified`);
  return Number(value);
}

const KINDS = Object.freeze({ channel: 'channel', supergroup: 'supergroup', group: 'group', private: 'user' });

/** Finds the chats that bots name. */
export function makeTargets({ world: { docs, people }, chats }: Pick<Parts, 'world' | 'chats'>) {
  const missing = () => badRequest('chat not found');

  /** A chat that a bot may look at. */
  function look(bot: string, given: string | undefined): Chat {
    if (given === undefined || given === '') throw badRequest('chat_id is empty');
    if (given.startsWith('@')) return known(chats.named(given));
    if (!/^-?\d{1,16}$/.test(given)) throw missing();
    if (given.startsWith('-')) return known(chats.get(given));
    const dialog = chats.dialog(bot, given);
    if (dialog) return dialog;
    if (docs.get('bot', given)) throw forbidden("bot can't send messages to bots");
    throw people.byId(given) ? forbidden("bot can't initiate conversation with a user") : missing();
  }
  function known(chat: Chat | undefined): Chat {
    if (chat === undefined) throw missing();
    return chat;
  }

  /** A chat that a bot may write into. */
  function write(bot: string, given: string | undefined): Chat {
    const chat = look(bot, given);
    const { type, migrated_to: to } = chat;
    if (to !== undefined)
      throw badRequest('group chat was upgraded to a supergroup chat', { migrate_to_chat_id: Number(to) });
    if (type === 'private') {
      if (chat.is_blocked) throw forbidden('bot was blocked by the user');
      return chat;
    }
    const { status } = chats.member(chat, bot);
    if (status === 'kicked') throw forbidden(`bot was kicked from the ${KINDS[type]} chat`);
    if (status === 'left') throw forbidden(`bot is not a member of the ${KINDS[type]} chat`);
    if (type === 'channel' && !chats.isAdmin(chat, bot))
      throw badRequest('need administrator rights in the channel chat');
    return chat;
  }

  return Object.freeze({
    look: (call: Call) => look(call.caller.person, call.params.text('chat_id')),
    write: (call: Call) => write(call.caller.person, call.params.text('chat_id')),
    keyOf: privateKey,
  });
}

export type Targets = ReturnType<typeof makeTargets>;
