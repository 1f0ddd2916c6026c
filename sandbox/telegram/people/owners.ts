import { PageError } from '../../forms.ts';
import { flag, optional, text, type Acts } from '../../kit/acts.ts';
import type { Bot, Chat, Member } from '../docs.ts';
import type { Parts } from '../methods/calls.ts';
import type { Talk } from '../talk.ts';
import { newSecret, shortId, tokenOf } from '../world.ts';
import type { ActionFields } from './action-fields.ts';

export type MakeBot = (owner: string, username: string, name: string) => Bot;

export function ownerActs({ world, chats }: Parts, talk: Talk, actionFields: ActionFields, makeBot: MakeBot): Acts {
  const { docs, people } = world;
  const { act, person, bot, chat, words, say, tellStatus } = actionFields;
  const someone = ({ members }: Chat) => Object.keys(members).find((id) => people.byId(id));

  /** Turns a basic group into a supergroup, which has another id. */
  function migrate(old: Chat): string {
    if (old.type !== 'group' || old.migrated_to !== undefined) throw new PageError(400, 'Only a basic group migrates.');
    const to = `-100${shortId('supergroup', old.id)}`;
    const fresh = chats.make('supergroup', to, { title: old.title!, members: old.members });
    const by = someone(old) ?? '';
    talk.say(old, by, { text: '', entities: [], service: { migrate_to_chat_id: Number(to) } });
    docs.change('chat', old.id, { migrated_to: to });
    talk.say(fresh, by, { text: '', entities: [], service: { migrate_from_chat_id: Number(old.id) } });
    return to;
  }

  function setStatus(where: Chat, { id }: Bot, status: Member['status']): void {
    const before = chats.member(where, id).status;
    chats.setMember(where.id, id, status);
    tellStatus(id, where, someone(where) ?? id, [before, status]);
  }

  return {
    make_bot: act(
      'owners',
      'Ask BotFather for a bot',
      { person, username: text('Username, ending in bot'), name: text('Name') },
      ({ username: wanted, name, ...by }) => {
        const username = wanted.replace(/^@/, '');
        if (!/^\w{2,29}bot$/i.test(username))
          throw new PageError(400, 'A username of 5 to 32 letters that ends in bot.');
        if (docs.list('bot').some((one) => one.username.toLowerCase() === username.toLowerCase()))
          throw new PageError(400, 'This username is already taken.');
        const made = makeBot(by.person.id, username, name);
        return { id: made.id, username, token: tokenOf(made) };
      },
    ),
    new_token: act('owners', 'Revoke the token of a bot', { bot }, (of) => ({
      token: tokenOf(docs.change('bot', of.bot.id, { secret: newSecret() })),
    })),
    post: act('owners', 'Post in a channel without the bot', { person, chat, ...words }, (by) =>
      say(by.chat, by.person.id, by),
    ),
    admit: act(
      'owners',
      'Make a bot an administrator of a channel or group',
      { bot, chat, member: optional(flag('As a mere member')) },
      (to) => setStatus(to.chat, to.bot, to.member ? 'member' : 'administrator'),
    ),
    remove_bot: act('owners', 'Remove a bot from a channel or group', { bot, chat }, (from) =>
      setStatus(from.chat, from.bot, 'kicked'),
    ),
    migrate: act('owners', 'Make a group a supergroup', { chat }, (of) => migrate(of.chat)),
  };
}
