/** Service messages of a chat, which have no author. */
import * as z from 'zod';
import { tableOf } from '#kernel/text/table.ts';
import type { InboundEvent } from '../../inbound.ts';
import { idOf, nameOf, type MessageFields, User } from './update.ts';

export const NOTICES = tableOf({
  new_chat_members: 'joined',
  left_chat_member: 'left',
  community_chat_joined: 'joined from a community',
  community_chat_added: 'added the chat to a community',
  community_chat_removed: 'removed the chat from a community',
  new_chat_title: 'renamed the chat',
  new_chat_photo: 'changed the picture of the chat',
  delete_chat_photo: 'removed the picture of the chat',
  chat_background_set: 'changed the background of the chat',
  group_chat_created: 'created the group',
  supergroup_chat_created: 'created the group',
  channel_chat_created: 'created the channel',
  chat_owner_left: 'left the chat, which they owned',
  chat_owner_changed: 'passed the chat on to another owner',
  pinned_message: 'pinned a message',
  message_auto_delete_timer_changed: 'changed how long messages are kept',
  write_access_allowed: 'allowed the bot to write',
  connected_website: 'logged in to a website',
  proximity_alert_triggered: 'came near',
  boost_added: 'boosted the chat',
  poll_option_added: 'added an option to a poll',
  poll_option_deleted: 'removed an option of a poll',
  checklist_tasks_done: 'marked tasks of a checklist',
  checklist_tasks_added: 'added tasks to a checklist',
  refunded_payment: 'got a payment back',
  gift_upgrade_sent: 'paid for the upgrade of a gift',
  giveaway_created: 'began a giveaway',
  giveaway_completed: 'ended a giveaway',
  managed_bot_created: 'created a bot',
  paid_message_price_changed: 'changed the price of messages',
  direct_message_price_changed: 'changed the price of direct messages',
  suggested_post_approved: 'approved a suggested post',
  suggested_post_approval_failed: 'could not approve a suggested post',
  suggested_post_declined: 'declined a suggested post',
  suggested_post_paid: 'paid for a suggested post',
  suggested_post_refunded: 'got the money for a suggested post back',
  forum_topic_created: 'began a topic',
  forum_topic_edited: 'changed a topic',
  forum_topic_closed: 'closed a topic',
  forum_topic_reopened: 'opened a topic again',
  general_forum_topic_hidden: 'hid the general topic',
  general_forum_topic_unhidden: 'showed the general topic',
  video_chat_scheduled: 'planned a video chat',
  video_chat_started: 'began a video chat',
  video_chat_ended: 'ended a video chat',
  video_chat_participants_invited: 'invited people to a video chat',
});

/** If a group gets a new id, both the old and the new chat report it; the first report is used. */
export const MOVES: readonly string[] = ['migrate_to_chat_id', 'migrate_from_chat_id'];

const Users = z.union([z.array(User), User.transform((one) => [one])]).catch([]);

/** The people who joined or left, or for other notices the one who caused it. */
function namesIn(type: string, message: MessageFields): readonly string[] {
  const { from, sender_chat: chat } = message;
  const isAbout = type === 'new_chat_members' || type === 'left_chat_member';
  if (isAbout) return Users.parse(message[type]).map(nameOf).filter(Boolean);
  return [chat?.title ?? (from && nameOf(from)) ?? ''].filter(Boolean);
}

export function noticeIn(message: MessageFields): InboundEvent | undefined {
  const type = [...NOTICES.keys()].find((name) => message[name] !== undefined);
  if (type === undefined) return undefined;
  const names = namesIn(type, message);
  const { new_chat_title: title, chat, date } = message;
  const words = NOTICES.get(type)!;
  const did = typeof title === 'string' ? `${words}: ${title}` : words;
  return {
    kind: 'notice',
    conversation: chat.id,
    platform_id: idOf(message),
    text: `${names.join(', ') || 'Somebody'} ${did}`,
    notice: { type, ...(names.length > 0 && { names }) },
    at: date * 1000,
  };
}
