import { insertAlias, loadAliases, renamePerson, renamePost } from '#db/inbox/aliases.ts';
import { loadConversation, mergeConversations, patchConversation } from '#db/inbox/conversations.ts';
import { patchNamed } from '#db/posts/targets.ts';
import type { Tx } from '#db/store/tx.ts';
import type { AliasedThing, InboundEvent } from '#platforms/inbound.ts';
import type { Person, PlatformConversation } from '#platforms/inbox-types.ts';
import { settleLast, settleThreads } from './threads.ts';
import type { Recording } from './recording.ts';

type CurrentIds = Recording['currentIds'];

type IdOf = (thing: AliasedThing, id: string) => string;

const keyOf = (thing: AliasedThing, id: string): string => `${thing} ${id}`;

/** Replaces the ids in an event by the current ones, for things that may have several ids. */
function withIds(event: InboundEvent, idOf: IdOf): InboundEvent {
  const person = (one: Person): Person => ({ ...one, id: idOf('person', one.id) });
  const thread = (one: PlatformConversation): PlatformConversation => ({
    ...one,
    platform_id: idOf('conversation', one.platform_id),
    participant: person(one.participant),
  });
  switch (event.kind) {
    case 'comment': {
      const { comment } = event;
      const platform_post_id = idOf('post', comment.platform_post_id);
      return { ...event, comment: { ...comment, platform_post_id, author: person(comment.author) } };
    }
    case 'mention': {
      const { mention } = event;
      const platform_post_id = idOf('post', mention.platform_post_id);
      return { ...event, mention: { ...mention, platform_post_id, author: person(mention.author) } };
    }
    case 'review':
      return { ...event, review: { ...event.review, author: person(event.review.author) } };
    case 'post':
      return { ...event, post: { ...event.post, platform_id: idOf('post', event.post.platform_id) } };
    case 'message':
    case 'postback':
    case 'referral':
      return { ...event, conversation: thread(event.conversation) };
    case 'reaction':
      return {
        ...event,
        conversation: idOf('conversation', event.conversation),
        ...(event.by && { by: person(event.by) }),
      };
    case 'notice':
    case 'receipt':
      return { ...event, conversation: idOf('conversation', event.conversation) };
    case 'alias':
      return { ...event, platform_id: idOf(event.thing, event.platform_id), alias: idOf(event.thing, event.alias) };
    case 'post_named':
      return { ...event, platform_id: idOf('post', event.platform_id), was: idOf('post', event.was) };
    default:
      return event;
  }
}

export async function loadCurrentIds(
  { db, dialect }: Tx,
  accountId: string,
  events: readonly InboundEvent[],
): Promise<CurrentIds> {
  const ids = new Set<string>();
  for (const event of events) withIds(event, (_, id) => (ids.add(id), id));
  const aliases = await loadAliases(db, dialect, accountId, [...ids]);
  return new Map(aliases.map(({ thing, alias, platform_id }) => [keyOf(thing, alias), platform_id]));
}

export function withCurrentIds(event: InboundEvent, current: CurrentIds): InboundEvent {
  return current.size === 0 ? event : withIds(event, (thing, id) => current.get(keyOf(thing, id)) ?? id);
}

/** Makes the rest of a recording use `id` instead of `was`. */
function follow({ currentIds }: Recording, thing: AliasedThing, was: string, id: string): void {
  for (const [key, led] of currentIds) if (led === was && key.startsWith(`${thing} `)) currentIds.set(key, id);
  currentIds.set(keyOf(thing, was), id);
}

/** Merges what is stored under two ids of the same thing. */
export async function recordAlias(
  recording: Recording,
  { thing, platform_id: id, alias: was }: Extract<InboundEvent, { kind: 'alias' }>,
): Promise<void> {
  const { tx, account } = recording;
  if (id === was) return;
  follow(recording, thing, was, id);
  if (thing === 'post') return renamePost(tx.db, account, was, id);
  if (thing === 'person') return renamePerson(tx.db, account, was, id);
  return renameConversation(recording, was, id);
}

/** Stores the final id of a post that was published from here. */
export async function recordPostName(
  recording: Recording,
  { was, platform_id: id, permalink }: Extract<InboundEvent, { kind: 'post_named' }>,
): Promise<void> {
  await recordAlias(recording, { kind: 'alias', thing: 'post', platform_id: id, alias: was });
  if (permalink !== undefined) await patchNamed(recording.tx.db, recording.account, id, { permalink });
}

/** Merges two conversations into the older one; our id of the other one then leads to it. */
async function renameConversation(recording: Recording, was: string, id: string): Promise<void> {
  const { tx, account } = recording;
  // Writes the pending changes of this recording, as the merge changes their rows.
  await settleThreads(recording);
  recording.threads.clear();
  await insertAlias(tx.db, account, { thing: 'conversation', platformId: id, alias: was });
  const other = await loadConversation(tx.db, account.id, was);
  if (other === undefined) return;
  const known = await loadConversation(tx.db, account.id, id);
  if (known === undefined) return patchConversation(tx.db, other.id, { platform_id: id });
  const [kept, merged] = other.created_at <= known.created_at ? [other, known] : [known, other];
  await mergeConversations(tx.db, kept, merged);
  await patchConversation(tx.db, kept.id, { platform_id: id, participant_id: known.participant_id });
  await insertAlias(tx.db, account, { thing: 'conversation', platformId: id, alias: merged.id });
  await settleLast(recording, kept.id);
}
