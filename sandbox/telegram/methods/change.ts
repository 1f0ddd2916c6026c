import { asText } from '../../kit/api/checks.ts';
import type { Message } from '../docs.ts';
import { badRequest } from '../errors.ts';
import { wholeIn, type Call, type Methods, type Parts, type Targets } from './calls.ts';

const DAY_MS = 24 * 3_600_000;
const PRESSED_MS = 15 * 60_000;
const MOST_DELETED = 100;
/** Some of the reactions that bots can use. */
const REACTIONS: ReadonlySet<string> = new Set(
  '👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 😈 😴 😭 🤓 👻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷 😡'.split(
    ' ',
  ),
);

export function changeMethods({ world: { docs, options }, chats }: Parts, targets: Targets): Methods {
  const { clock } = options;

  function messageIn(call: Call, missing: string): Message {
    const chat = targets.write(call);
    const n = wholeIn(call.params, 'message_id');
    const found = n === undefined ? undefined : chats.message(chat.id, n);
    if (found === undefined) throw badRequest(missing);
    return found;
  }

  const isOwn = ({ from, sender_chat }: Message, bot: string) =>
    from === bot || (sender_chat !== undefined && chats.isAdmin(chats.get(sender_chat)!, bot));

  /** A bot can delete messages of the last two days that are its own or in a private chat, and as an admin any. */
  function isRemovable(message: Message, bot: string): boolean {
    const chat = chats.get(message.page_id)!;
    if (chats.isAdmin(chat, bot)) return true;
    const isRecent = message.at > clock.now() - 2 * DAY_MS;
    return isRecent && (chat.type === 'private' || isOwn(message, bot));
  }

  const gone = (message: Message) => void docs.change('message', message.id, { deleted_at: clock.now() });

  return {
    deleteMessage(call) {
      const message = messageIn(call, 'message to delete not found');
      if (!isRemovable(message, call.caller.person)) throw badRequest("message can't be deleted");
      gone(message);
      return true;
    },
    deleteMessages(call) {
      const chat = targets.write(call);
      const numbers = call.params.list('message_ids') ?? [];
      if (numbers.length === 0 || numbers.length > MOST_DELETED)
        throw badRequest('message identifiers are not specified');
      const found = numbers.flatMap((n) => chats.message(chat.id, Number(n)) ?? []);
      for (const message of found) if (isRemovable(message, call.caller.person)) gone(message);
      return true;
    },
    setMessageReaction(call) {
      const message = messageIn(call, 'message to react not found');
      const reactions = call.params.list('reaction') ?? [];
      if (reactions.length > 1) throw badRequest('REACTIONS_TOO_MANY');
      const { [call.caller.person]: _, ...others } = message.reactions ?? {};
      const emoji = asText((reactions[0] as { emoji?: unknown } | undefined)?.emoji);
      if (reactions.length > 0 && !REACTIONS.has(emoji.replace('\u{FE0F}', ''))) throw badRequest('REACTION_INVALID');
      const own = reactions.length > 0 ? { [call.caller.person]: emoji } : {};
      docs.change('message', message.id, { reactions: { ...others, ...own } });
      return true;
    },
    answerCallbackQuery({ caller, params }) {
      const pressed = docs.get('callback', params.required('callback_query_id'));
      if (pressed?.page_id !== caller.person || pressed.at < clock.now() - PRESSED_MS)
        throw badRequest('query is too old and response timeout expired or query ID is invalid');
      docs.change('callback', pressed.id, { answered: params.text('text') ?? '' });
      return true;
    },
  };
}
