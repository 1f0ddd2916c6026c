/** Messages between business accounts and people: the rules for sending, and events. */
import type { Conversation, Fields, Message } from './docs.ts';
import { blocked } from './errors.ts';
import type { Events } from './pushes.ts';
import { newId, type Names, type World } from './world.ts';

const WINDOW_MS = 48 * 3_600_000;

export type Saying = Pick<Message, 'type' | 'body'> & Partial<Pick<Message, 'quoted' | 'pressed'>>;
export type Talk = ReturnType<typeof makeTalk>;

export function makeTalk({ docs, settings, options: { clock } }: World, names: Names, events: Events) {
  const userOf = ({ page_id, person }: Conversation, isOwn: boolean) => ({
    id: isOwn ? names.openId('business', page_id) : names.uniqueId(person),
    role: isOwn ? 'business_account' : 'personal_account',
  });
  const nameOf = ({ page_id, person }: Conversation, isOwn: boolean) => names.creator(isOwn ? page_id : person).handle;
  const base = (of: Conversation, isOwn: boolean): Fields => ({
    from: nameOf(of, isOwn),
    to: nameOf(of, !isOwn),
    unique_identifier: names.uniqueId(of.person),
    from_user: userOf(of, isOwn),
    to_user: userOf(of, !isOwn),
    conversation_id: of.id,
    timestamp: clock.now(),
  });
  const tell = (of: Conversation, event: string, content: Fields) =>
    events.business(of.page_id, 'DIRECT_MESSAGE', event, content);

  function write(of: Conversation, isOwn: boolean, content: Saying, source: Message['source']): Message {
    const { page_id, id: parent_id } = of;
    const message = docs.put('message', {
      ...content,
      id: newId(),
      at: clock.now(),
      page_id,
      parent_id,
      isOwn,
      source,
    });
    const { id: message_id, type, body, quoted, pressed } = message;
    if (!isOwn && settings.get('europe')) {
      const { to, to_user, timestamp } = base(of, false);
      tell(of, 'im_receive_msg_eu', { to, to_user, timestamp });
      return message;
    }
    tell(of, isOwn ? 'im_send_msg' : 'im_receive_msg', {
      ...base(of, isOwn),
      message_id,
      type,
      [type]: body,
      ...(quoted !== undefined && { referenced_message_info: { referenced_message_id: quoted } }),
      ...(pressed !== undefined && { reply_source_payload: pressed }),
      scene_type: 0,
      is_follower: of.follows,
      message_tag: { source },
    });
    return message;
  }

  return Object.freeze({
    nameOf,
    userOf,
    messages: (of: Conversation): readonly Message[] => docs.list('message', { parent: of.id }),
    /** The conversation of a person with an account, created when it is first needed. Inside a transaction. */
    between(page_id: string, person: string): Conversation {
      const id = names.conversationId(page_id, person);
      const fresh = { follows: false, spent: 0, answered: false, referral: { ad: [], short_link: [] } };
      return (
        docs.get('conversation', id) ?? docs.put('conversation', { id, at: clock.now(), page_id, person, ...fresh })
      );
    },
    /** Throws unless the person wrote within 48 hours and the account has not sent too many messages since. */
    check({ written_at = 0, spent }: Conversation): void {
      if (written_at <= clock.now() - WINDOW_MS) throw blocked('the user has not written for 48 hours');
      const most = settings.get('messages_a_window');
      if (spent >= most) throw blocked(`${most} messages were sent since the user wrote`);
    },
    fromUser(of: Conversation, content: Saying): Message {
      const now = docs.change('conversation', of.id, { written_at: clock.now(), spent: 0, at: clock.now() });
      return write(now, false, content, 'APP');
    },
    fromAccount(of: Conversation, content: Saying, source: Message['source']): Message {
      const spent = of.spent + (source === 'API' ? 1 : 0);
      const now = docs.change('conversation', of.id, { spent, answered: true, at: clock.now() });
      return write(now, true, content, source);
    },
    read: (of: Conversation): void =>
      tell(of, 'im_mark_read_msg', { ...base(of, false), read: { last_read_timestamp: clock.now() } }),
    /** Records that the person came from an ad or a link. Inside a transaction. */
    refer(of: Conversation, source: 'ad' | 'short_link', about: Fields): void {
      const referral = { ...of.referral, [source]: [...of.referral[source], about] };
      docs.change('conversation', of.id, { referral });
      tell(of, 'im_referral_msg', { ...base(of, false), referral: { source, [source]: about } });
    },
  });
}
