import { moveIn } from '../kit/residents.ts';
import type { Bot } from './docs.ts';
import { newSecret, shortId, type Chats, type World } from './world.ts';

/** Owners of a bot with a channel; one of the channels has a discussion group. */
const OWNERS = Object.freeze([
  ['olivia.sandbox.test', 'Olivia Harbour', 'harbour_coffee_bot', 'Harbour Coffee', true],
  ['sam.sandbox.test', 'Sam Single', 'single_origin_bot', 'Single Origin', false],
] as const);
export const channelName = (username: string): string => username.replace(/_?bot$/i, '');

export function settle({ docs, people, options: { store, clock } }: World, chats: Chats) {
  function makeBot(owner: string, username: string, name: string): Bot {
    const id = shortId('bot', username);
    const next_update = Number(shortId('update', username).slice(0, 8));
    const fresh = () => ({ id, at: clock.now(), username, name, secret: newSecret(), owner, next_update });
    return docs.get('bot', id) ?? docs.put('bot', fresh());
  }

  /** Makes a bot's channel, perhaps its discussion group, and a small group with the bot. */
  function makePlaces({ id: bot, username, owner }: Bot, title: string, isDiscussed: boolean): void {
    const channel = `-100${shortId('channel', username)}`;
    const group = `-100${shortId('discussion', username)}`;
    if (chats.get(channel)) return;
    const run = { [owner]: { status: 'creator' }, [bot]: { status: 'administrator' } } as const;
    const follow = Object.fromEntries(people.followers().map(({ id }) => [id, { status: 'member' }] as const));
    const members = { ...run, ...follow };
    const name = { title, username: channelName(username) };
    chats.make('channel', channel, { ...name, members, ...(isDiscussed && { linked: group }) });
    if (isDiscussed) chats.make('supergroup', group, { title: `${title} chat`, members, linked: channel });
    chats.make('group', `-${shortId('group', username)}`, { title: `${title} crew`, members });
  }

  store.write(() => {
    moveIn(people, OWNERS);
    for (const [handle, , bot, title, isDiscussed] of OWNERS)
      makePlaces(makeBot(people.find(handle)!.id, bot, title), title, isDiscussed);
  });
  return { makeBot, makePlaces };
}
