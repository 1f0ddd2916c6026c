/** The parts of Bot API updates that Rostra uses. */
import * as z from 'zod';
import type { Person } from '../../inbox-types.ts';
import { text } from '../../shared/fields.ts';
import { Id, messageId } from '../api.ts';
import type { Owner } from './owner.ts';

/** The kinds of updates to subscribe to; Telegram sends no others. */
export const ALLOWED_UPDATES: readonly string[] = [
  'message',
  'edited_message',
  'channel_post',
  'message_reaction',
  'callback_query',
  'my_chat_member',
];

export const User = z.object({
  id: Id,
  first_name: z.string().default(''),
  last_name: text,
  username: text,
});
const Chat = z.object({ id: Id, type: z.string(), title: text, username: text });
const Entity = z.object({ type: z.string(), offset: z.number().int(), length: z.number().int(), url: text });
const entities = z.array(Entity).optional().catch(undefined);

/** A message; its content is in further members that are not listed here. */
const MessageFields = z.looseObject({
  message_id: Id,
  date: z.number(),
  edit_date: z.number().optional().catch(undefined),
  chat: Chat,
  from: User.optional().catch(undefined),
  sender_chat: Chat.optional().catch(undefined),
  text,
  entities,
  caption: text,
  caption_entities: entities,
  message_thread_id: Id.optional().catch(undefined),
  is_topic_message: z.boolean().optional().catch(undefined),
  is_automatic_forward: z.boolean().optional().catch(undefined),
  forward_origin: z
    .object({ type: z.string(), chat: Chat.optional(), message_id: Id.optional() })
    .optional()
    .catch(undefined),
  reply_to_story: z.looseObject({}).optional().catch(undefined),
  migrate_to_chat_id: Id.optional().catch(undefined),
  media_group_id: text,
});
export type MessageFields = z.output<typeof MessageFields>;
const Message = MessageFields.extend({ reply_to_message: MessageFields.optional().catch(undefined) });
export type Message = z.output<typeof Message>;

const Button = z.object({ text: z.string(), callback_data: text });
const Tap = z.object({
  id: z.string(),
  from: User,
  data: z.string().default(''),
  message: MessageFields.extend({
    reply_markup: z
      .object({ inline_keyboard: z.array(z.array(Button)) })
      .optional()
      .catch(undefined),
  }).optional(),
});
const Reaction = z.object({
  chat: Chat,
  message_id: Id,
  user: User.optional().catch(undefined),
  actor_chat: Chat.optional().catch(undefined),
  date: z.number(),
  new_reaction: z.array(z.object({ type: z.string(), emoji: text, custom_emoji_id: text })),
});
const Membership = z.object({ chat: Chat, new_chat_member: z.object({ status: z.string() }) });

export const Update = z.object({
  update_id: z.number(),
  message: Message.optional().catch(undefined),
  edited_message: Message.optional().catch(undefined),
  channel_post: Message.optional().catch(undefined),
  message_reaction: Reaction.optional().catch(undefined),
  callback_query: Tap.optional().catch(undefined),
  my_chat_member: Membership.optional().catch(undefined),
});
export type Update = z.output<typeof Update>;

export const idOf = ({ chat, message_id }: Pick<MessageFields, 'chat' | 'message_id'>): string =>
  messageId(chat.id, message_id);

export const nameOf = ({ first_name, last_name }: Pick<z.output<typeof User>, 'first_name' | 'last_name'>): string =>
  [first_name, last_name].filter(Boolean).join(' ');

export const personOf = (user: z.output<typeof User>, { web }: Owner): Person => ({
  id: user.id,
  name: nameOf(user),
  username: user.username,
  profile_url: user.username && `${web}/${user.username}`,
});

/** A chat as author: a group, a channel or an anonymous administrator. */
export const speakerOf = ({ id, title = '', username }: z.output<typeof Chat>): Person => ({
  id,
  name: title,
  username,
});
