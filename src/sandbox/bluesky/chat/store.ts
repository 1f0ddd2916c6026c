import type { Clock } from '../../../kernel/clock.ts';
import type { Store } from '../../store.ts';
import { tid } from '../records/ipld.ts';

export type ConvoRow = Readonly<{
  id: string;
  low: string;
  high: string;
  started_by: string;
  locked: number;
  /** Of the last thing that happened in it. */
  rev: string;
  /** Of the last message, or of its beginning. */
  last_rev: string;
}>;
export type MemberRow = Readonly<{
  convo: string;
  did: string;
  status: 'request' | 'accepted';
  muted: number;
  read_rev: string;
  /** What lies before is gone for a member who has left. */
  left_rev: string;
}>;
export type MessageRow = Readonly<{
  id: string;
  convo: string;
  rev: string;
  sender: string;
  json: string;
  sent_at: number;
}>;
export type ReactionRow = Readonly<{ message: string; did: string; value: string; at: number }>;
export type LogRow = Readonly<{
  rev: string;
  type: string;
  convo: string;
  message: string | null;
  reaction: string | null;
}>;

export type ChatStore = ReturnType<typeof openChatStore>;

const CLOCK_ID = 7;

/** Statements about messages and reactions. */
function messageTables(store: Store) {
  const { db } = store;

  const insertMessage = db.prepare(`
    insert into bsky_message (id, convo, rev, sender, json, sent_at) values (@id, @convo, @rev, @sender, @json, @sent_at)`);

  const freshen = db.prepare('update bsky_convo set last_rev = ? where id = ?');

  const message = db.prepare('select * from bsky_message where id = ?');

  const messages = db.prepare(
    'select * from bsky_message where convo = ? and rev > ? and rev < ? order by rev desc limit ?',
  );

  const everyMessage = db.prepare('select * from bsky_message order by rev');

  const unread = db.prepare(`
    select count(*) as n from bsky_message where convo = ? and sender <> ? and rev > ?`);

  const hide = db.prepare('insert into bsky_message_gone (message, did) values (?, ?) on conflict do nothing');

  const hidden = db.prepare('select 1 from bsky_message_gone where message = ? and did = ?');

  const reactions = db.prepare('select * from bsky_reaction where message = ? order by at, did, value');

  const react = db.prepare(
    'insert into bsky_reaction (message, did, value, at) values (?, ?, ?, ?) on conflict do nothing',
  );

  const unreact = db.prepare('delete from bsky_reaction where message = ? and did = ? and value = ?');

  return Object.freeze({
    insertMessage,
    freshen,
    message,
    messages,
    everyMessage,
    unread,
    hide,
    hidden,
    reactions,
    react,
    unreact,
  });
}

const encode = (rev: number) => tid(rev, 0);

/** Conversations of two, their messages, and the event log of each member. Writes belong in a transaction. */
export function openChatStore(store: Store, clock: Clock) {
  const { db } = store;
  // The count outlives a reset, so that a cursor somebody holds never lies in the future.
  const count = db.prepare(`
    insert into bsky_chat_count (id, rev, last_us) values (1, 1, @us)
    on conflict do update set rev = rev + 1, last_us = max(last_us + 1, @us) returning rev, last_us`);
  const counted = db.prepare('select rev from bsky_chat_count');
  const find = db.prepare('select * from bsky_convo where id = ?');
  const between = db.prepare('select * from bsky_convo where low = ? and high = ?');
  const insert = db.prepare(
    'insert into bsky_convo (id, low, high, started_by, rev, last_rev) values (@id, @low, @high, @by, @rev, @rev)',
  );
  const join = db.prepare('insert into bsky_convo_member (convo, did, status) values (?, ?, ?)');
  const member = db.prepare('select * from bsky_convo_member where convo = ? and did = ?');
  const setMember = db.prepare(`
    update bsky_convo_member set status = @status, muted = @muted, read_rev = @read_rev, left_rev = @left_rev
    where convo = @convo and did = @did`);
  const listed = db.prepare(`
    select c.* from bsky_convo_member m join bsky_convo c on c.id = m.convo
    where m.did = @did and c.last_rev < @below and c.last_rev > m.left_rev
      and (c.started_by = @did or exists (select 1 from bsky_message where convo = c.id))
    order by c.last_rev desc limit @limit`);
  const all = db.prepare('select * from bsky_convo order by last_rev desc limit ?');
  const touch = db.prepare('update bsky_convo set rev = ? where id = ?');
  const setLocked = db.prepare('update bsky_convo set locked = ? where id = ?');

  const { insertMessage, freshen, message, messages, everyMessage, unread, hide, hidden, reactions, react, unreact } =
    messageTables(store);
  const log = db.prepare(
    'insert into bsky_chat_log (did, rev, type, convo, message, reaction) values (?, ?, ?, ?, ?, ?)',
  );
  const logs = db.prepare('select * from bsky_chat_log where did = ? and rev > ? order by rev limit ?');
  function next(): { rev: string; id: string } {
    const made = count.get({ us: clock.now() * 1000 }) as { rev: number; last_us: number };
    return { rev: encode(made.rev), id: tid(made.last_us, CLOCK_ID) };
  }
  const membersOf = ({ low, high }: ConvoRow): readonly [string, string] => [low, high];

  /** Appends one event to the logs of the given members, under one revision. */
  function tell(
    convo: string,
    dids: readonly string[],
    type: string,
    about: Readonly<{ rev?: string; message?: string; reaction?: ReactionRow }> = {},
  ): string {
    const rev = about.rev ?? next().rev;
    const reaction = about.reaction && JSON.stringify(about.reaction);
    for (const did of dids) log.run(did, rev, type, convo, about.message ?? null, reaction ?? null);
    touch.run(rev, convo);
    return rev;
  }

  return Object.freeze({
    find: (id: string) => find.get(id) as ConvoRow | undefined,
    between: (one: string, other: string) => between.get(...[one, other].toSorted()) as ConvoRow | undefined,
    begin(by: string, other: string, status: MemberRow['status']): ConvoRow {
      const [low, high] = [by, other].toSorted();
      const { id, rev } = next();
      insert.run({ id, low, high, by, rev });
      join.run(id, by, 'accepted');
      join.run(id, other, status);
      log.run(by, rev, 'logBeginConvo', id, null, null);
      return find.get(id) as ConvoRow;
    },
    membersOf,
    member: (convo: string, did: string) => member.get(convo, did) as MemberRow | undefined,
    setMember: (row: MemberRow) => void setMember.run(row),
    list: (did: string, below: string, limit: number) => listed.all({ did, below, limit }) as ConvoRow[],
    newest: (limit: number) => all.all(limit) as ConvoRow[],
    setLocked: (convo: string, locked: boolean) => void setLocked.run(locked ? 1 : 0, convo),
    send(convo: ConvoRow, sender: string, content: object): MessageRow {
      const other = membersOf(convo).filter((did) => did !== sender);
      // The other side hears of a conversation with its first message.
      if (messages.all(convo.id, '', '~', 1).length === 0) tell(convo.id, other, 'logBeginConvo');
      const { id, rev } = next();
      insertMessage.run({ id, convo: convo.id, rev, sender, json: JSON.stringify(content), sent_at: clock.now() });
      freshen.run(rev, convo.id);
      tell(convo.id, membersOf(convo), 'logCreateMessage', { rev, message: id });
      return message.get(id) as MessageRow;
    },
    message: (id: string) => message.get(id) as MessageRow | undefined,
    messages: (convo: string, page: Readonly<{ above: string; below: string; limit: number }>) =>
      messages.all(convo, page.above, page.below, page.limit) as MessageRow[],
    everyMessage: () => everyMessage.all() as MessageRow[],
    unread: (convo: string, did: string, since: string) => (unread.get(convo, did, since) as { n: number }).n,
    hide: (id: string, did: string) => hide.run(id, did).changes > 0,
    isHidden: (id: string, did: string) => hidden.get(id, did) !== undefined,
    reactions: (id: string) => reactions.all(id) as ReactionRow[],
    react: (row: ReactionRow) => react.run(row.message, row.did, row.value, row.at).changes > 0,
    unreact: (row: ReactionRow) => unreact.run(row.message, row.did, row.value).changes > 0,
    tell,
    logs: (did: string, after: string, limit: number) => logs.all(did, after, limit) as LogRow[],
    /** Where the log ends now. */
    end: () => encode((counted.get() as { rev: number } | undefined)?.rev ?? 0),
    reset: () =>
      void db.exec(`delete from bsky_convo; delete from bsky_convo_member; delete from bsky_message;
        delete from bsky_message_gone; delete from bsky_reaction; delete from bsky_chat_log`),
  });
}
