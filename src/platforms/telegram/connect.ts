import * as z from 'zod';
import type { UnauthenticatedCall } from '../call.ts';
import type { Connected, DirectConnect } from '../connect.ts';
import { isMissing, refused, unfit, unlessRefused } from '../shared/errors.ts';
import { request, type BotCall, Id, type TelegramSession } from './api.ts';

const Bot = z.object({ id: Id, first_name: z.string(), username: z.string() });
const Chat = z.object({
  id: Id,
  type: z.string(),
  title: z.string().optional(),
  username: z.string().optional(),
  description: z.string().optional(),
  linked_chat_id: Id.optional(),
});
const Member = z.object({ status: z.string(), can_post_messages: z.boolean().optional() });

const TOKEN = /^\d{1,20}:[\w-]{20,100}$/;
/** A channel as people copy it: a name, a link or a number. */
const CHANNEL = /^(?:@|(?:https?:\/\/)?t\.me\/)?([a-z]\w{3,31})$|^(-100\d{5,15})$/i;

/** A bot, by the token that @BotFather gave, and the channel it posts to. */
export const connect: DirectConnect = {
  kind: 'direct',
  form: [
    {
      name: 'bot_token',
      label: 'Bot token',
      hint: 'From @BotFather, for example 123456789:AAE…',
      type: 'password',
      required: true,
      autocomplete: 'off',
    },
    {
      name: 'channel',
      label: 'Channel',
      hint: 'Where it posts, for example @mychannel; the bot must be an administrator there. Leave empty for messages only.',
      type: 'text',
      required: false,
    },
  ],
  required: ['bot_token'],
  login,
};

async function login(bare: UnauthenticatedCall, fields: Readonly<Record<string, string>>): Promise<Connected> {
  const token = fields['bot_token']?.trim() ?? '';
  if (!TOKEN.test(token)) throw unfit('The bot token must look like 123456789:AAE… as @BotFather shows it.');
  const call = { ...bare, token };
  const bot = await request(call, 'getMe', {}, Bot);
  const wanted = fields['channel']?.trim() ?? '';
  const channel = wanted === '' ? undefined : await channelOf(call, bot.id, wanted);
  const { id, title, username, description, linked_chat_id: group } = channel ?? {};
  const session: TelegramSession = {
    token,
    bot: bot.id,
    ...(id !== undefined && { channel: { id, ...(username && { username }), ...(group && { group }) } }),
  };
  const name = username ?? bot.username;
  return {
    profile: {
      platform_user_id: bot.id,
      username: name,
      name: title ?? bot.first_name,
      bio: description,
      profile_url: `${bare.hosts['web']!}/${name}`,
      metadata: {
        bot_id: bot.id,
        bot_username: bot.username,
        ...(id !== undefined && { channel_id: id }),
        ...(group !== undefined && { group_id: group }),
      },
    },
    session,
  };
}

async function channelOf(call: BotCall, bot: string, wanted: string): Promise<z.output<typeof Chat>> {
  const [, name, id] = CHANNEL.exec(wanted) ?? [];
  if (name === undefined && id === undefined) throw unfit('The channel must be a name such as @mychannel.');
  const chat_id = id ?? `@${name}`;
  const found = await request(call, 'getChat', { json: { chat_id } }, Chat).catch((error: unknown) => {
    throw isMissing(error) ? refused('not_found', 'Telegram knows no such channel.') : error;
  });
  if (found.type !== 'channel') throw unfit('This is not a channel: a bot posts to channels.');
  const requested = request(call, 'getChatMember', { json: { chat_id, user_id: Number(bot) } }, Member);
  const member = await unlessRefused(requested, 'permission_denied', 'not_found', 'invalid_request');
  if (member?.status !== 'administrator' || member.can_post_messages !== true) {
    throw refused('permission_denied', 'Make the bot an administrator of the channel who may post messages.');
  }
  return found;
}
