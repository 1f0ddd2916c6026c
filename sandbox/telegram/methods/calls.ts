import type { Params } from '../../kit/api/params.ts';
import { route, type Route, type RouteCall } from '../../kit/api/routes.ts';
import type { Chat } from '../docs.ts';
import { badRequest, forbidden } from '../errors.ts';
import type { Render } from '../render.ts';
import type { Updates } from '../updates.ts';
import type { Chats, World } from '../world.ts';

export type BotCaller = Readonly<{ person: string; scopes: readonly string[] }>;
export type Call = RouteCall<BotCaller>;

export type Parts = Readonly<{ world: World; chats: Chats; render: Render; updates: Updates }>;

export type Methods = Readonly<Record<string, (call: Call) => unknown>>;

/** Routes for methods, each by GET and POST, with the result in `result`. */
export const routesOf = (methods: Methods, effect: boolean): readonly Route<BotCaller>[] =>
  Object.entries(methods).flatMap(([name, run]) => {
    const wrapped = async (call: Call) => ({ ok: true, result: await run(call) });
    return ['POST', 'GET'].map((verb) => route<BotCaller>(verb, `/bot{token}/${name}`, { effect }, wrapped));
  });

/** An integer, which may be negative; undefined if the parameter is missing or empty. */
export function wholeIn(params: Params, name: string): number | undefined {
  const value = params.text(name);
  if (value === undefined || value === '') return undefined;
  if (!/^-?\d{1,16}$/.test(value)) throw badRequest(`invalid ${name} specified`);
  return Number(value);
}

const KINDS = Object.freeze({ channel: 'channel', supergroup: 'supergroup', group: 'group', private: 'user' });

export function makeTargets({ world: { docs, people }, chats }: Pick<Parts, 'world' | 'chats'>) {
  function look({ caller: { person: bot }, params }: Call): Chat {
    const given = params.text('chat_id') ?? '';
    if (given === '') throw badRequest('chat_id is empty');
    const isPerson = /^\d{1,16}$/.test(given);
    const byId = () => (/^-\d{1,16}$/.test(given) ? chats.get(given) : undefined);
    const byNumber = () => (isPerson ? chats.dialog(bot, given) : byId());
    const found = given.startsWith('@') ? chats.named(given) : byNumber();
    if (found !== undefined) return found;
    if (isPerson && docs.get('bot', given)) throw forbidden("bot can't send messages to bots");
    if (isPerson && people.byId(given)) throw forbidden("bot can't initiate conversation with a user");
    throw badRequest('chat not found');
  }

  function write(call: Call): Chat {
    const chat = look(call);
    const { type, migrated_to: to, is_blocked } = chat;
    const { status } = chats.member(chat, call.caller.person);
    if (to !== undefined)
      throw badRequest('group chat was upgraded to a supergroup chat', { migrate_to_chat_id: Number(to) });
    if (type === 'private' && is_blocked) throw forbidden('bot was blocked by the user');
    if (status === 'kicked') throw forbidden(`bot was kicked from the ${KINDS[type]} chat`);
    if (status === 'left') throw forbidden(`bot is not a member of the ${KINDS[type]} chat`);
    if (type === 'channel' && !chats.isAdmin(chat, call.caller.person))
      throw badRequest('need administrator rights in the channel chat');
    return chat;
  }

  return Object.freeze({ look, write });
}

export type Targets = ReturnType<typeof makeTargets>;
