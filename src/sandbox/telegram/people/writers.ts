/** What people do who write to bots. */
import { PageError } from '../../forms.ts';
import { long, maybe, must, text, there, type Acts, type Values } from '../../kit/acts.ts';
import { digits } from '../../kit/ids.ts';
import type { Parts } from '../methods/calls.ts';
import type { Talk } from '../talk.ts';
import { withFound } from '../text/entities.ts';
import { BOT, CHAT, MESSAGE, WHO, WORDS, type Stage } from './saying.ts';

/** What people do in their conversations with bots. */
export function dialogActs({ world, chats, render, updates }: Parts, stage: Stage): Acts {
  const { docs, options } = world;
  const { store, clock } = options;
  const { person, bot, message, dialog, say, tellStatus } = stage;

  function setBlocked(values: Values, is_blocked: boolean): void {
    const { id } = there(chats.dialog(bot(values).id, person(values).id), 'conversation');
    store.write(() => {
      const changed = docs.change('chat', id, { is_blocked });
      const change = is_blocked ? (['member', 'kicked'] as const) : (['kicked', 'member'] as const);
      tellStatus(bot(values).id, changed, person(values).id, change);
    });
  }

  function press(values: Values) {
    const pressed = message(values);
    const by = pressed.page_id.includes('/') ? pressed.page_id.split('/')[1]! : person(values).id;
    const label = must(values, 'button');
    const { inline_keyboard: inline, keyboard } = (pressed.markup ?? {}) as Readonly<Record<string, unknown[][]>>;
    const button = ((inline ?? []).flat() as Readonly<Record<string, string>>[]).find((one) => one['text'] === label);
    if (button?.['callback_data'] !== undefined) {
      const to = pressed.from ?? Object.keys(chats.get(pressed.page_id)!.members).find((id) => docs.get('bot', id))!;
      const id = digits(18);
      store.write(() => {
        docs.put('callback', { id, at: clock.now(), page_id: to });
        const shown = render.messageOf(to, pressed);
        const about = { message: shown, chat_instance: digits(18), data: button['callback_data'] };
        updates.tell(to, 'callback_query', { id, from: render.userOf(by), ...about });
      });
      return id;
    }
    if (button !== undefined) return button['url'];
    const key = (keyboard ?? []).flat().map((one) => (typeof one === 'string' ? one : (one as { text: string }).text));
    if (!key.includes(label)) throw new PageError(404, 'There is no such button.');
    return say(chats.get(pressed.page_id)!, by, { text: label });
  }

  return {
    start: {
      group: 'people',
      title: 'Start a bot',
      fields: { person: WHO, bot: BOT, payload: maybe('What the link carries') },
      run(values: Values) {
        const begun = store.write(() => chats.begin(bot(values).id, person(values).id));
        const { payload } = values;
        return say(begun, person(values).id, { text: payload === undefined ? '/start' : `/start ${payload}` });
      },
    },
    write: {
      group: 'people',
      title: 'Write to a bot',
      fields: { person: WHO, bot: BOT, ...WORDS },
      run: (values: Values) => say(dialog(values), person(values).id, values),
    },
    press: {
      group: 'people',
      title: 'Press a button',
      fields: { message: MESSAGE, button: text('Button'), person: { ...WHO, optional: true } },
      run: press,
    },
    block: {
      group: 'people',
      title: 'Block a bot',
      fields: { person: WHO, bot: BOT },
      run: (values: Values) => setBlocked(values, true),
    },
    unblock: {
      group: 'people',
      title: 'Unblock a bot',
      fields: { person: WHO, bot: BOT },
      run: (values: Values) => setBlocked(values, false),
    },
  };
}

/** What people say in groups and below channel posts. */
export function groupActs({ world: { docs, options }, chats }: Parts, talk: Talk, stage: Stage): Acts {
  const { store, clock } = options;
  const { person, chat, message, say } = stage;

  /** A comment on a channel post, in the discussion group. */
  function comment(values: Values) {
    const said = message(values);
    const where = there(chats.get(said.page_id), 'chat');
    const copy = where.type === 'channel' ? talk.copyOf(where.linked ?? '', where.id, said.n) : said;
    const { page_id, n, thread = n } = there(copy, 'copy of the post in a discussion group');
    return say(chats.get(page_id)!, person(values).id, values, { reply_to: n, thread });
  }

  return {
    comment: {
      group: 'people',
      title: 'Comment on a channel post, or answer a comment',
      fields: { person: WHO, message: MESSAGE, ...WORDS },
      run: comment,
    },
    say_in_group: {
      group: 'people',
      title: 'Write into a group',
      fields: { person: WHO, chat: CHAT, ...WORDS },
      run: (values: Values) => say(chat(values), person(values).id, values),
    },
    edit: {
      group: 'people',
      title: 'Change a message',
      fields: { message: MESSAGE, text: long('Text') },
      run(values: Values) {
        const { id, page_id } = message(values);
        store.write(() => {
          const said = withFound({ text: must(values, 'text'), entities: [] });
          const changed = docs.change('message', id, { ...said, edited_at: clock.now() });
          const where = chats.get(page_id)!;
          talk.announce(where, changed, where.type === 'channel' ? 'edited_channel_post' : 'edited_message');
        });
      },
    },
  };
}
