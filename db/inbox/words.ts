import { sql, type RawBuilder } from 'kysely';
import type { Authority } from '#kernel/authority.ts';
import type { PageSpan } from '#kernel/pagination.ts';
import { wordsOf, type Wanted } from '#kernel/search/words.ts';
import type { Row } from '../schema/database.ts';
import { oneOf, type Dialect } from '../store/dialect.ts';
import { statement } from '../store/statement.ts';
import type { Db, Queryable } from '../store/tx.ts';

/** The kinds of inbox items that can be searched. */
export const FOUND_KINDS = ['message', 'comment', 'mention', 'review'] as const;
export type FoundKind = (typeof FOUND_KINDS)[number];
export type Written = `${FoundKind}s`;

/** What the index needs from a row of any kind. */
type WrittenRow = Readonly<{
  workspace_id: string;
  account_id: string;
  platform_id: string;
  created_at: number;
  gone_at?: number | null;
  conversation_id?: string;
  author?: Readonly<{ name: string; username?: string | undefined }>;
  sender_name?: string;
  text: string;
  reply_text?: string | null;
}>;

/** How many entries can have the same time. */
const AT_AN_INSTANT = 2 ** 20;
/** Begins words that stand for a workspace, account or kind. Words from a text never contain it. */
const MARK = '§';
const mark = (id: string): string => MARK + id.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** If one of these fields changes, the words in the index change too. */
const FIELDS: ReadonlySet<string> = new Set([
  'text',
  'gone_at',
  'conversation_id',
  'author',
  'sender_name',
  'reply_text',
]);
export const changesWords = (patch: object): boolean => Object.keys(patch).some((field) => FIELDS.has(field));

/** The texts of a row that are searched. */
const textsOf = ({ sender_name, author, text, reply_text }: WrittenRow): string =>
  [sender_name, author?.name, author?.username, text, reply_text].filter(Boolean).join('\n');

const isFound = (row: WrittenRow): boolean => (row.gone_at ?? null) === null && row.conversation_id !== '';

/** Adds rows to the index, but leaves out those that cannot be found. */
export async function addWords(db: Db, kind: Written, rows: readonly WrittenRow[]): Promise<void> {
  const instants = new Map<number, number>();
  const entries = rows.filter(isFound).map((row): Entry => {
    const at = Math.max(0, row.created_at);
    const before = instants.get(at) ?? 0;
    instants.set(at, before + 1);
    return {
      at,
      before,
      workspace_id: row.workspace_id,
      account_id: row.account_id,
      kind,
      item: row.platform_id,
      words: [mark(row.workspace_id), mark(row.account_id), mark(kind), ...wordsOf(textsOf(row))].join(' '),
    };
  });
  const [entry] = entries;
  if (entry !== undefined && entries.length === 1) await addingOne(db, entry);
  else if (entries.length > 1) await adding(db, entries).execute();
}

/** An entry of the index; `before` counts the entries with the same time that are added together with it. */
type Entry = Readonly<{
  at: number;
  before: number;
  workspace_id: string;
  account_id: string;
  kind: Written;
  item: string;
  words: string;
}>;

function adding(db: Db, entries: readonly Entry[]) {
  const values = entries.map(({ at, before, workspace_id, account_id, kind, item, words }) => {
    return { id: nextId(at, before), workspace_id, account_id, kind, item, words };
  });
  return db
    .insertInto('inbox_words')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'kind', 'item']).doUpdateSet((eb) => ({ words: eb.ref('excluded.words') })),
    );
}

const addingOne = statement((db, slot: Entry) => adding(db, [slot]));

/** The id of a new entry at a time, after the entries that already have that time. */
const nextId = (at: number, before: number): RawBuilder<number> => sql<number>`coalesce(
  (select max(id) + 1 from inbox_words where id between cast(${at} as bigint) * ${AT_AN_INSTANT}
    and cast(${at} as bigint) * ${AT_AN_INSTANT} + ${AT_AN_INSTANT - 1}), cast(${at} as bigint) * ${AT_AN_INSTANT}) + ${before}`;

/** Updates a changed row in the index, or removes it. */
export async function changeWords(db: Db, kind: Written, row: WrittenRow): Promise<void> {
  if (isFound(row)) return addWords(db, kind, [row]);
  await db
    .deleteFrom('inbox_words')
    .where('account_id', '=', row.account_id)
    .where('kind', '=', kind)
    .where('item', '=', row.platform_id)
    .execute();
}

/** Adds some of the rows from before there was an index; false when none is left. */
export async function addEarlierWords(db: Db, kind: Written, limit: number): Promise<boolean> {
  const from = await db.selectFrom('inbox_unread_words').selectAll().where('kind', '=', kind).executeTakeFirst();
  if (from === undefined) return false;
  // One type stands for all tables, because only their common columns are used.
  const rows = await db
    .selectFrom(kind as 'comments')
    .selectAll()
    .where(sql<boolean>`(account_id, platform_id) > (${from.account_id}, ${from.item})`)
    .orderBy('account_id')
    .orderBy('platform_id')
    .limit(limit)
    .execute();
  await addWords(db, kind, rows);
  const last = rows.at(-1);
  if (last === undefined || rows.length < limit) {
    await db.deleteFrom('inbox_unread_words').where('kind', '=', kind).execute();
    return false;
  }
  const to = { account_id: last.account_id, item: last.platform_id };
  await db.updateTable('inbox_unread_words').set(to).where('kind', '=', kind).execute();
  return true;
}

/** Whether some rows are not in the index yet. */
export async function lacksWords(db: Db): Promise<boolean> {
  return (await db.selectFrom('inbox_unread_words').select('kind').limit(1).executeTakeFirst()) !== undefined;
}

export type Hit = Readonly<{ kind: Written; account_id: string; item: string; at: number; nth: number }>;
/** Up to this many accounts are part of the search. Above, the whole workspace is searched and hits are filtered. */
const MOST_NAMED = 40;

/** How many of the newest entries PostgreSQL scans before it uses the word index. */
const NEWEST = 5_000;

type Search = Readonly<{ wanted: Wanted; kinds: readonly Written[]; accounts: readonly string[] }>;

/** Entries of some accounts that contain all the words, newest first, plus one if there are more. */
export async function findWords(
  { db, dialect }: Queryable,
  { workspace }: Authority,
  { wanted: { words, beginning }, kinds, accounts }: Search,
  { limit, from }: PageSpan,
): Promise<readonly Hit[]> {
  const places = accounts.length > MOST_NAMED ? [workspace] : accounts;
  const all = [anyOf(dialect, places), anyOf(dialect, kinds), ...words.map((word) => quoted(dialect, word))];
  if (beginning !== undefined) all.push(dialect === 'sqlite' ? `"${beginning}"*` : `'${beginning}':*`);
  const match = all.join(dialect === 'sqlite' ? ' AND ' : ' & ');
  const isBefore = (id: RawBuilder<unknown>) =>
    from === undefined ? sql`true` : sql`${id} < cast(${from.at} as bigint) * ${AT_AN_INSTANT} + ${Number(from.id)}`;
  const isVisible = sql`inbox_words.workspace_id = ${workspace} and ${oneOf(dialect, 'inbox_words.account_id', accounts)}`;
  const most = limit + 1;
  const hits = dialect === 'sqlite' ? findOnSqlite : findOnPostgres;
  const { rows } = await hits({ match, isBefore, isVisible, most }).execute(db);
  return rows;
}

type Lookup = Readonly<{
  match: string;
  isBefore(id: RawBuilder<unknown>): RawBuilder<unknown>;
  isVisible: RawBuilder<unknown>;
  most: number;
}>;

const hitOf = (id: string): RawBuilder<unknown> =>
  sql`kind, account_id, item, ${sql.ref(id)} / ${AT_AN_INSTANT} as at, ${sql.ref(id)} % ${AT_AN_INSTANT} as nth`;

/** SQLite's word index returns hits in the order of time. */
const findOnSqlite = ({ match, isBefore, isVisible, most }: Lookup): RawBuilder<Hit> => sql`
  select ${hitOf('inbox_words.id')}
  from inbox_word_index cross join inbox_words on inbox_words.id = inbox_word_index.rowid
  where inbox_word_index match ${match} and ${isBefore(sql`inbox_word_index.rowid`)} and ${isVisible}
  order by inbox_word_index.rowid desc limit ${most}`;

/**
 * PostgreSQL's word index has no order. Common words are found among the newest entries, so the index is only used for
 * rare ones. PostgreSQL cannot decide this itself, because it does not know how common a prefix is.
 */
function findOnPostgres({ match, isBefore, isVisible, most }: Lookup): RawBuilder<Hit> {
  const id = sql`inbox_words.id`;
  const isWanted = sql`inbox_words.vector @@ ${match}::tsquery and ${isVisible}`;
  return sql`
    with newest as materialized (
      select id, kind, account_id, item
      from (select * from inbox_words where ${isBefore(id)} order by id desc limit ${NEWEST}) inbox_words
      where ${isWanted} order by id desc limit ${most}),
    found as (
      select * from newest where (select count(*) from newest) = ${most}
      union all
      (select id, kind, account_id, item from inbox_words
        where ${isWanted} and ${isBefore(id)} and (select count(*) from newest) < ${most}
        order by id + 0 desc limit ${most}))
    select ${hitOf('id')} from found order by id desc`;
}

/** Words consist of letters, digits and emoji only, so nothing has to be escaped. */
const quoted = (dialect: Dialect, word: string): string => (dialect === 'sqlite' ? `"${word}"` : `'${word}'`);

const anyOf = (dialect: Dialect, ids: readonly string[]): string =>
  `(${ids.map((id) => quoted(dialect, mark(id))).join(dialect === 'sqlite' ? ' OR ' : ' | ')})`;

/** Loads the rows of one kind that were found. */
export async function loadFound<T extends Written>(
  { db, dialect }: Queryable,
  kind: T,
  hits: readonly Hit[],
): Promise<readonly Row<T>[]> {
  const own = hits.filter((hit) => hit.kind === kind);
  if (own.length === 0) return [];
  const rows = await db
    .selectFrom(kind as 'comments')
    .selectAll()
    .where(oneOf(dialect, 'account_id', [...new Set(own.map(({ account_id }) => account_id))]))
    .where(
      oneOf(
        dialect,
        'platform_id',
        own.map(({ item }) => item),
      ),
    )
    .execute();
  return rows as never;
}
