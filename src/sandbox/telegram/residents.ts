import type { Bot } from './docs.ts';
import { newSecret, shortId, type Chats, type World } from './world.ts';

/** Who lives here: owners with a bot that posts to a channel, one of them with a discussion group, and people. */
const OWNERS = Object.freeze([
  {
    handle: 'olivia.sandbox.test',
    name: 'Olivia Harbour',
    bot: 'harbour_coffee_bot',
    title: 'Harbour Coffee',
    discussed: true,
  },
  {
    handle: 'sam.sandbox.test',
    name: 'Sam Single',
    bot: 'single_origin_bot',
    title: 'Single Origin',
    discussed: false,
  },
]);
const FOLLOWERS = Object.freeze([
  ['fred.sandbox.test', 'Fred Follower'],
  ['mia.sandbox.test', 'Mia Message'],
  ['zoe.sandbox.test', 'Zoë Ünder'],
] as const);
/** The public name of the channel of a bot. */
export const channelName = (username: string): string => username.replace(/_?bot$/i, '');

/** Puts people, bots and chats where they are on the first day. */
export function settle({ docs, people, options }: World, chats: Chats) {
  function makeBot(owner: string, username: string, name: string): Bot {
    const id = shortId('bot', username);
    const [at, secret, next_update] = [
      options.clock.now(),
      newSecret(),
      Number(shortId('update', username).slice(0, 8)),
    ];
    return docs.get('bot', id) ?? docs.put('bot', { id, at, username, name, secret, owner, next_update });
  }

  /** A channel of a bot, with its discussion group if it has one, and a small group where it is a member. */
  function makePlaces({ id: bot, username, owner }: Bot, title: string, discussed: boolean): void {
    const [channel, group, small] = ['channel', 'discussion', 'group'].map((kind) => shortId(kind, username)) as [
      string,
      string,
      string,
    ];
    if (chats.get(`-100${channel}`)) return;
    const run = { [owner]: { status: 'creator' }, [bot]: { status: 'administrator' } } as const;
    const follow = Object.fromEntries(people.followers().map(({ id }) => [id, { status: 'member' }] as const));
    const members = { ...run, ...follow };
    const linked = discussed ? { linked: `-100${group}` } : {};
    chats.make('channel', `-100${channel}`, { title, username: channelName(username), members, ...linked });
    if (discussed)
      chats.make('supergroup', `-100${group}`, { title: `${title} chat`, members, linked: `-100${channel}` });
    chats.make('group', `-${small}`, { title: `${title} crew`, members });
  }

  options.store.write(() => {
    for (const [handle, name] of FOLLOWERS) people.add(handle, name, false);
    for (const { handle, name, bot, title, discussed } of OWNERS) {
      const { id } = people.add(handle, name, true);
      makePlaces(makeBot(id, bot, title), title, discussed);
    }
  });
  return { makeBot, makePlaces };
}
