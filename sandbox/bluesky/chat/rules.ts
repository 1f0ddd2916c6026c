import type { Clock } from '#kernel/clock.ts';
import type { Store } from '../../store.ts';
import { isObject } from '../../kit/api/checks.ts';
import { has } from '../../atproto/formats.ts';
import type { Chats } from '../../kit/chat/chats.ts';
import type { ConvoRow, MemberRow, MessageRow } from '../../kit/chat/tables.ts';
import type { Content } from './views.ts';
import { misplacedFacet } from '../lexicons.ts';
import type { People } from '../../atproto/people.ts';
import type { Records } from '../../atproto/records.ts';
import type { Relations } from '../reading/relations.ts';
import type { Views } from '../reading/views.ts';
import { invalid, type XrpcError } from '../../atproto/xrpc.ts';

export type ChatWorld = Readonly<{
  store: Store;
  clock: Clock;
  chat: Chats;
  people: People;
  records: Records;
  relations: Relations;
  views: Views;
}>;

export function chatRules({ chat, people, records, relations }: ChatWorld) {
  /** Returns a conversation of the caller; those of other people are treated as missing. */
  function own(id: string, did: string): { convo: ConvoRow; member: MemberRow; other: string } {
    const convo = chat.find(id);
    const member = convo && chat.member(id, did);
    if (convo === undefined || member === undefined) throw invalid('Convo not found', 'InvalidConvo');
    return { convo, member, other: chat.otherThan(convo, did) };
  }
  function messageIn(id: string, convo: ConvoRow, did: string): MessageRow {
    const found = chat.message(id);
    if (found?.convo !== convo.id || chat.isHidden(id, did)) throw invalid('Message not found');
    return found;
  }

  /** From whom a person accepts messages. On the real network, by default from people they follow. */
  function allows(did: string): string {
    const declared = records.get(did, 'chat.bsky.actor.declaration', 'self');
    // Unless they declare otherwise, the simulator's people accept everybody, as businesses do.
    const record = declared === undefined ? { allowIncoming: 'all' } : (JSON.parse(declared.json) as unknown);
    return isObject(record) ? String(record['allowIncoming']) : 'following';
  }

  /** Why a message is not accepted. Without a block, a conversation that the recipient accepted stays open. */
  function refusal(from: string, to: string, convo: ConvoRow | undefined): XrpcError | undefined {
    if (relations.blocked(from, to)) return invalid('block between recipient and sender', 'BlockedActor');
    if (convo !== undefined && chat.member(convo.id, to)?.status === 'accepted') return undefined;
    const allowed = allows(to);
    if (allowed === 'none') return invalid('recipient has disabled incoming messages', 'MessagesDisabled');
    if (allowed === 'all' || relations.link(to, 'follow', from) !== undefined) return undefined;
    return invalid('recipient requires incoming messages to come from someone they follow', 'NotFollowedBySender');
  }

  /** The other member of a call, because these calls are for conversations of two people only. */
  function otherOf(params: URLSearchParams, did: string): string {
    const members = params.getAll('members');
    if (members.length === 0) throw invalid('Missing required key "members" at $');
    if (members.length > 10) throw invalid(`array too big (maximum 10, got ${members.length}) at $.members`);
    for (const [at, member] of members.entries())
      if (!has('did', member))
        throw invalid(`Invalid DID (got ${JSON.stringify(member.slice(0, 128))}) at $.members[${at}]`);
    const [other, ...more] = new Set(members.filter((member) => member !== did));
    if (other === undefined || more.length > 0) throw invalid('A convo has exactly two members');
    if (people.byDid(other) === undefined) throw invalid('recipient not found', 'RecipientNotFound');
    return other;
  }

  function send(sender: string, id: string, message: Content): MessageRow {
    const { convo, member, other } = own(id, sender);
    if (convo.locked === 1) throw invalid('convo is locked', 'ConvoLocked');
    const refused = refusal(sender, other, convo);
    if (refused !== undefined) throw refused;
    if (message.text.trim() === '' && message.embed === undefined) throw invalid('Message is empty');
    const wrong = misplacedFacet(message, '$.message');
    if (wrong !== undefined) throw invalid(wrong);
    const { text: words, facets, embed, replyTo } = message;
    if (replyTo !== undefined && chat.message(replyTo.messageId)?.convo !== id)
      throw invalid('Reply target not found', 'ReplyTargetNotFound');
    // Replying to a request accepts it.
    chat.accept(member);
    return chat.send(convo, sender, { text: words, facets, embed, replyTo });
  }

  return Object.freeze({ own, messageIn, otherOf, refusal, send });
}
