/** What people do who own bots, channels and groups. */
import { PageError } from '../../forms.ts';
import { flag, isOn, must, text, type Acts, type Values } from '../../kit/acts.ts';
import type { Bot } from '../docs.ts';
import type { Parts } from '../methods/calls.ts';
import type { Talk } from '../talk.ts';
import { newSecret, shortId, tokenOf } from '../world.ts';
import { BOT, CHAT, WHO, WORDS, type Stage } from './saying.ts';

export type MakeBot = (owner: string, username: string, name: string) => Bot;

export function ownerActs({ world, chats }: Parts, talk: Talk, stage: Stage, makeBot: MakeBot): Acts {
  const { docs, people, options } = world;
  const { store } = options;
  const { person, bot, chat, say, tellStatus } = stage;

  /** A basic group becomes a supergroup: it gets another id. */
  function migrate(values: Values) {
    const old = chat(values);
    if (old.type !== 'group' || old.migrated_to !== undefined) throw new PageError(400, 'Only a basic group migrates.');
    return store.write(() => {
      const to = `-100${shortId('supergroup', old.id)}`;
      const fresh = chats.make('supergroup', to, { title: old.title!, members: old.members });
      const by = Object.keys(old.members).find((id) => people.byId(id)) ?? '';
      talk.say(old, by, { text: '', entities: [], service: { migrate_to_chat_id: Number(to) } });
      docs.change('chat', old.id, { migrated_to: to });
      talk.say(fresh, by, { text: '', entities: [], service: { migrate_from_chat_id: Number(old.id) } });
      return to;
    });
  }

  function setStatus(values: Values, status: 'administrator' | 'member' | 'kicked'): void {
    const where = chat(values);
    const { id } = bot(values);
    store.write(() => {
      const before = chats.member(where, id).status;
      chats.setMember(where.id, id, status);
      const by = Object.keys(where.members).find((one) => people.byId(one)) ?? id;
      tellStatus(id, where, by, [before, status]);
    });
  }

  return {
    make_bot: {
      group: 'owners',
      title: 'Ask BotFather for a bot',
      fields: { person: WHO, username: text('Username, ending in bot'), name: text('Name') },
      run(values: Values) {
        const username = must(values, 'username').replace(/^@/, '');
        if (!/^\w{2,29}bot$/i.test(username))
          throw new PageError(400, 'A username of 5 to 32 letters that ends in bot.');
        if (docs.list('bot').some((one) => one.username.toLowerCase() === username.toLowerCase()))
          throw new PageError(400, 'This username is already taken.');
        const made = store.write(() => makeBot(person(values).id, username, must(values, 'name')));
        return { id: made.id, username, token: tokenOf(made) };
      },
    },
    new_token: {
      group: 'owners',
      title: 'Revoke the token of a bot',
      fields: { bot: BOT },
      run: (values: Values) => ({ token: tokenOf(docs.change('bot', bot(values).id, { secret: newSecret() })) }),
    },
    post: {
      group: 'owners',
      title: 'Post in a channel without the bot',
      fields: { person: WHO, chat: CHAT, ...WORDS },
      run: (values: Values) => say(chat(values), person(values).id, values),
    },
    admit: {
      group: 'owners',
      title: 'Make a bot an administrator of a channel or group',
      fields: { bot: BOT, chat: CHAT, member: { ...flag('As a mere member'), optional: true } },
      run: (values: Values) => setStatus(values, isOn(values['member']) ? 'member' : 'administrator'),
    },
    remove_bot: {
      group: 'owners',
      title: 'Remove a bot from a channel or group',
      fields: { bot: BOT, chat: CHAT },
      run: (values: Values) => setStatus(values, 'kicked'),
    },
    migrate: { group: 'owners', title: 'Make a group a supergroup', fields: { chat: CHAT }, run: migrate },
  };
}
