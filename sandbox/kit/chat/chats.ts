import type { Clock } from '#kernel/clock.ts';
import type { Store } from '../../store.ts';
import {
  convoTables,
  makeTables,
  messageTables,
  type ConvoRow,
  type LogRow,
  type MemberRow,
  type MessageRow,
  type ReactionRow,
} from './tables.ts';

export type ChatEvents = Readonly<{
  begin: string;
  message: string;
  accept: string;
  leave: string;
  mute: string;
  unmute: string;
  /** All of these are logged when somebody reads further. */
  read: readonly string[];
  hide: string;
  react: string;
  unreact: string;
}>;

export type ChatTerms = Readonly<{
  prefix: string;
  events: ChatEvents;
  /** Formats a revision as text that sorts in numerical order. */
  revision(count: number): string;
  newId(micros: number): string;
}>;

export type Chats = ReturnType<typeof openChats>;

/** Sorts after every revision. */
export const TOP = '~';

type Tell = (
  convo: string,
  members: readonly string[],
  type: string,
  about?: Readonly<{ rev?: string; message?: string; reaction?: ReactionRow }>,
) => string;

function membership(events: ChatEvents, tell: Tell, save: (row: MemberRow) => void) {
  return {
    /** Accepts a conversation and returns the revision, or undefined if it was already accepted. */
    accept(row: MemberRow): string | undefined {
      if (row.status === 'accepted') return undefined;
      save({ ...row, status: 'accepted' });
      return tell(row.convo, [row.person], events.accept);
    },
    leave(row: MemberRow): string {
      const left = tell(row.convo, [row.person], events.leave);
      save({ ...row, status: 'request', left_rev: left });
      return left;
    },
    mute(row: MemberRow, muted: boolean): void {
      if (row.muted === Number(muted)) return;
      save({ ...row, muted: Number(muted) });
      tell(row.convo, [row.person], muted ? events.mute : events.unmute);
    },
    /** Moves the reader's mark forward. Only the reader's own log gets an event. */
    read(row: MemberRow, upTo: MessageRow | undefined): boolean {
      if (upTo === undefined || upTo.rev <= row.read_rev) return false;
      save({ ...row, read_rev: upTo.rev });
      for (const type of events.read) tell(row.convo, [row.person], type, { message: upTo.id });
      return true;
    },
  };
}

/** Conversations of two people: messages, reactions and a log per member. Callers write inside a transaction. */
export function openChats(store: Store, clock: Clock, { prefix, events, revision, newId }: ChatTerms) {
  const { db } = store;
  makeTables(store, prefix);
  const { count, counted, find, between, insert, join, member, setMember, listed, all, touch, setLocked, log, logs } =
    convoTables(store, prefix);
  const { insertMessage, freshen, message, messages, everyMessage, unread, hide, hidden, reactions, react, unreact } =
    messageTables(store, prefix);
  function next(): { rev: string; id: string } {
    const made = count.get({ us: clock.now() * 1000 }) as { rev: number; last_us: number };
    return { rev: revision(made.rev), id: newId(made.last_us) };
  }
  const membersOf = ({ low, high }: ConvoRow): readonly [string, string] => [low, high];

  /** Appends an event to each member's log, all under one revision. */
  const tell: Tell = (convo, members, type, about = {}) => {
    const rev = about.rev ?? next().rev;
    const reaction = about.reaction && JSON.stringify(about.reaction);
    for (const person of members) log.run(person, rev, type, convo, about.message ?? null, reaction ?? null);
    touch.run(rev, convo);
    return rev;
  };

  return Object.freeze({
    find: (id: string) => find.get(id) as ConvoRow | undefined,
    between: (one: string, other: string) => between.get(...[one, other].toSorted()) as ConvoRow | undefined,
    begin(by: string, other: string, status: MemberRow['status']): ConvoRow {
      const [low, high] = [by, other].toSorted();
      const { id, rev } = next();
      insert.run({ id, low, high, by, rev });
      join.run(id, by, 'accepted');
      join.run(id, other, status);
      log.run(by, rev, events.begin, id, null, null);
      return find.get(id) as ConvoRow;
    },
    membersOf,
    otherThan: ({ low, high }: ConvoRow, person: string) => (low === person ? high : low),
    member: (convo: string, person: string) => member.get(convo, person) as MemberRow | undefined,
    list: (person: string, below: string, limit: number) => listed.all({ person, below, limit }) as ConvoRow[],
    last: (convo: ConvoRow, { left_rev }: MemberRow) =>
      messages.all(convo.id, left_rev, TOP, 1)[0] as MessageRow | undefined,
    newest: (limit: number) => all.all(limit) as ConvoRow[],
    setLocked: (convo: string, locked: boolean) => void setLocked.run(locked ? 1 : 0, convo),
    send(convo: ConvoRow, sender: string, content: object): MessageRow {
      const other = membersOf(convo).filter((person) => person !== sender);
      // The other person learns of the conversation only when the first message arrives.
      if (messages.all(convo.id, '', TOP, 1).length === 0) tell(convo.id, other, events.begin);
      const { id, rev } = next();
      insertMessage.run({ id, convo: convo.id, rev, sender, json: JSON.stringify(content), sent_at: clock.now() });
      freshen.run(rev, convo.id);
      tell(convo.id, membersOf(convo), events.message, { rev, message: id });
      return message.get(id) as MessageRow;
    },
    message: (id: string) => message.get(id) as MessageRow | undefined,
    messages: (convo: string, page: Readonly<{ above: string; below: string; limit: number }>) =>
      messages.all(convo, page.above, page.below, page.limit) as MessageRow[],
    everyMessage: () => everyMessage.all() as MessageRow[],
    unread: (convo: string, person: string, since: string) => (unread.get(convo, person, since) as { n: number }).n,
    isHidden: (id: string, person: string) => hidden.get(id, person) !== undefined,
    reactions: (id: string) => reactions.all(id) as ReactionRow[],
    ...membership(events, tell, (row) => void setMember.run(row)),
    hide({ id, convo }: MessageRow, person: string): void {
      if (hide.run(id, person).changes > 0) tell(convo, [person], events.hide, { message: id });
    },
    react(convo: ConvoRow, row: ReactionRow, adds: boolean): void {
      const { message: id, person, value, at } = row;
      const changed = adds ? react.run(id, person, value, at) : unreact.run(id, person, value);
      const type = adds ? events.react : events.unreact;
      if (changed.changes > 0) tell(convo.id, membersOf(convo), type, { message: id, reaction: row });
    },
    logs: (person: string, after: string, limit: number) => logs.all(person, after, limit) as LogRow[],
    end: () => revision((counted.get() as { rev: number } | undefined)?.rev ?? 0),
    reset: () =>
      void db.exec(`delete from ${prefix}_convo; delete from ${prefix}_convo_member; delete from ${prefix}_message;
        delete from ${prefix}_message_gone; delete from ${prefix}_reaction; delete from ${prefix}_chat_log`),
  });
}
