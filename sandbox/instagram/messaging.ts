import { makeConversations, type ConversationTerms } from '../graph/messaging/conversations.ts';
import { makeMessages, type MessagingTerms, type PrivateReplies } from '../graph/messaging/messages.ts';
import type { Threads } from '../graph/messaging/threads.ts';
import { pictureUrl, type Methods } from '../graph/world.ts';
import { onFacebookPage } from './accounts.ts';

import type { Login, World } from './world.ts';

const LONGEST_BYTES = 1000;
const MOST_PICTURES = 10;
const DETAILED = 20;

const rightOf = ({ rights }: Login) => ({ scopes: [rights.basic, rights.messages], task: 'MESSAGING' });

const messagesAs = (login: Login): MessagingTerms => ({
  right: rightOf(login),
  limits: {
    longestText: LONGEST_BYTES,
    lengthOf: (text: string) => Buffer.byteLength(text),
    mostFiles: MOST_PICTURES,
    bare: ['like_heart', 'MEDIA_SHARE'],
  },
  noUser: 2_534_014,
  closed: 2_534_022,
  namesRecipient: true,
});

const conversationsAs = (world: World, login: Login): ConversationTerms => ({
  platform: 'INSTAGRAM',
  right: rightOf(login),
  detailed: DETAILED,
  party: (page, person) =>
    person === undefined
      ? { username: page.username, id: page.id }
      : { username: person.handle, id: world.people.psid(page.id, person.id) },
  profile: {
    username: ({ person }) => person.handle,
    profile_pic: ({ page, person }) => pictureUrl(world, world.people.psid(page, person.id)),
    follower_count: () => 0,
    is_verified_user: () => false,
    is_user_follow_business: () => true,
    is_business_follow_user: () => false,
  },
});

/** Methods for messages of an account or its Page. Only a Page can upload files before sending them. */
export function messagingMethods(world: World, login: Login, threads: Threads, replies: PrivateReplies): Methods {
  const messages = makeMessages(world, threads, replies, messagesAs(login));
  const { 'POST page/message_attachments': _upload, ...withoutUpload } = messages;
  const conversations = makeConversations(world, threads, conversationsAs(world, login));
  if (!login.isFacebook) return { ...withoutUpload, ...conversations };
  const all = { ...messages, ...conversations };
  const ofPage = Object.entries(all).filter(([name]) => name.includes('page/'));
  return { ...all, ...onFacebookPage(world, Object.fromEntries(ofPage)) };
}
