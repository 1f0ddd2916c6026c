/** What people do in private chats, in groups and below channel posts. */
import { PageError } from '../../forms.ts';
import { maybe, maybeOne, oneOf, text, there, type Acts } from '../../kit/acts.ts';
import { digits } from '../../kit/ids.ts';
import type { Bot, Chat, Message } from '../docs.ts';
import type { Parts } from '../methods/calls.ts';
import type { Talk } from '../talk.ts';
import type { ActionFields } from './action-fields.ts';
import { SERVICES } from './samples.ts';

type Person = Readonly<{ id: string }>;
type Pair = Readonly<{ bot: Bot; person: Person }>;

export function dialogActs({ world, chats, render, updates }: Parts, talk: Talk, actionFields: ActionFields): Acts {
  const { docs, options } = world;
  const { act, person, bot, chat, message, words, say, tellStatus } = actionFields;

  function setBlocked({ bot: { id: to }, person: { id: by } }: Pair, is_blocked: boolean): void {
    const { id } = there(chats.dialog(to, by), 'conversation');
    const change = is_blocked ? (['member', 'kicked'] as const) : (['kicked', 'member'] as const);
    tellStatus(to, docs.change('chat', id, { is_blocked }), by, change);
  }

  function dialogOf({ bot: { id: to }, person: { id: by } }: Pair): Chat {
    const found = chats.dialog(to, by);
    if (found === undefined || found.is_blocked) throw new PageError(400, 'They have not started this bot.');
    return found;
  }

  function press(pressed: Message, label: string, who: Person | undefined) {
    const chat = chats.get(pressed.page_id)!;
    const by = chat.type === 'private' ? chat.id.split('/')[1]! : there(who, 'person').id;
    const { inline_keyboard: inline, keyboard } = (pressed.markup ?? {}) as Readonly<Record<string, unknown[][]>>;
    const button = ((inline ?? []).flat() as Readonly<Record<string, string>>[]).find((one) => one['text'] === label);
    if (button?.['callback_data'] !== undefined) {
      const to = pressed.from ?? Object.keys(chat.members).find((id) => docs.get('bot', id))!;
      const id = digits(18);
      docs.put('callback', { id, at: options.clock.now(), page_id: to });
      const about = {
        message: render.messageOf(to, pressed),
        chat_instance: digits(18),
        data: button['callback_data'],
      };
      updates.tell(to, 'callback_query', { id, from: render.userOf(by), ...about });
      return id;
    }
    if (button !== undefined) return button['url'];
    const keys = (keyboard ?? []).flat().map((one) => (typeof one === 'string' ? one : (one as { text: string }).text));
    if (!keys.includes(label)) throw new PageError(404, 'There is no such button.');
    return say(chat, by, { text: label });
  }

  return {
    start: act('people', 'Start a bot', { person, bot, payload: maybe('What the link carries') }, (by) => {
      const begun = chats.begin(by.bot.id, by.person.id);
      return say(begun, by.person.id, { text: by.payload === undefined ? '/start' : `/start ${by.payload}` });
    }),
    write: act('people', 'Write to a bot', { person, bot, ...words }, (by) => say(dialogOf(by), by.person.id, by)),
    press: act(
      'people',
      'Press a button',
      { message, button: text('Button'), person: maybeOne(person) },
      ({ message: pressed, button, ...by }) => press(pressed, button, by.person),
    ),
    happen: act(
      'people',
      'Let Telegram say that something happened in a chat',
      { person, bot: maybeOne(bot), chat: maybeOne(chat), kind: oneOf('What', Object.keys(SERVICES)) },
      ({ person: { id: by }, kind, ...at }) => {
        const where = at.chat ?? there(at.bot && chats.dialog(at.bot.id, by), 'conversation');
        const around = { user: render.userOf(by), chat: render.chatOf(where) };
        const service = { [kind]: SERVICES[kind]!(around) };
        return talk.say(where, by, { text: '', entities: [], service }).id;
      },
    ),
    block: act('people', 'Block a bot', { person, bot }, (by) => setBlocked(by, true)),
    unblock: act('people', 'Unblock a bot', { person, bot }, (by) => setBlocked(by, false)),
  };
}

export function groupActs({ world: { docs, options }, chats }: Parts, talk: Talk, actionFields: ActionFields): Acts {
  const { act, person, chat, message, words, say, saidIn } = actionFields;
  return {
    comment: act('people', 'Comment on a channel post, or answer a comment', { person, message, ...words }, (by) => {
      const { page_id: place, n: number } = by.message;
      const where = there(chats.get(place), 'chat');
      const copy = where.type === 'channel' ? talk.copyOf(where.linked ?? '', place, number) : by.message;
      const { page_id, n, thread = n } = there(copy, 'copy of the post in a discussion group');
      return say(chats.get(page_id)!, by.person.id, by, { reply_to: n, thread });
    }),
    say_in_group: act('people', 'Write into a group', { person, chat, ...words }, (by) =>
      say(by.chat, by.person.id, by),
    ),
    edit: act(
      'people',
      'Change a message',
      { message, ...words },
      ({ message: { id, page_id, from = '', media: was }, ...to }) => {
        const where = chats.get(page_id)!;
        const { media = was, ...content } = saidIn(to, where, from);
        const changed = docs.change('message', id, { ...content, media, edited_at: options.clock.now() });
        talk.announce(where, changed, where.type === 'channel' ? 'edited_channel_post' : 'edited_message');
      },
    ),
    react: act('people', 'React to a message', { person, message, emoji: maybe('Emoji; none takes it back') }, (by) => {
      const {
        emoji,
        person: { id: who },
      } = by;
      const { [who]: old, ...others } = by.message.reactions ?? {};
      const reactions = { ...others, ...(emoji !== undefined && { [who]: emoji }) };
      talk.reacted(docs.change('message', by.message.id, { reactions }), who, [old, emoji]);
    }),
  };
}
