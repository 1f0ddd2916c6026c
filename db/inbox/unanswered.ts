import { sql, type RawBuilder } from 'kysely';
import type { Authority } from '#kernel/authority.ts';
import { isAllowedIn, oneOf, type Dialect } from '../store/dialect.ts';
import type { Db } from '../store/tx.ts';
import type { CommentRow } from './comments.ts';
import type { ConversationRow } from './conversations.ts';
import type { MentionRow } from './mentions.ts';
import type { ReviewRow } from './reviews.ts';

/** Kinds of items that await an answer, in the order within the same time. */
export const UNANSWERED_KINDS = ['conversation', 'comment', 'review', 'mention'] as const;
export type UnansweredKind = (typeof UNANSWERED_KINDS)[number];

type Source = Readonly<{
  table: 'conversations' | 'comments' | 'reviews' | 'mentions';
  at: 'last_message_at' | 'created_at';
  key: 'id' | 'platform_id';
  /** The conditions of waiting, as literals of the index: SQLite cannot match parameters. */
  waits: readonly string[];
  /** Names in `capabilities` that are not all false: nobody waits for an answer that none can give. */
  ways?: readonly string[];
}>;

const SOURCES: Readonly<Record<UnansweredKind, Source>> = Object.freeze({
  conversation: {
    table: 'conversations',
    at: 'last_message_at',
    key: 'id',
    waits: ["status = 'active'", "last_message_direction = 'incoming'"],
  },
  comment: {
    table: 'comments',
    at: 'created_at',
    key: 'platform_id',
    waits: ['is_answered = 0', 'is_owner = 0', 'is_hidden = 0', 'gone_at is null'],
    ways: ['can_reply', 'can_private_reply'],
  },
  review: { table: 'reviews', at: 'created_at', key: 'platform_id', waits: ['reply_text is null'] },
  mention: { table: 'mentions', at: 'created_at', key: 'platform_id', waits: ['is_answered = 0'] },
});

export type UnansweredRows = Readonly<{
  conversation: ConversationRow;
  comment: CommentRow;
  review: ReviewRow;
  mention: MentionRow;
}>;

/** A position in a list sorted by time, account and id. */
export type UnansweredPlace = Readonly<{ at: number; accountId: string; id: string }>;

export type UnansweredSpan = Readonly<{
  accounts: readonly string[];
  /** Only newer items. */
  since: number;
  /** Only later in the list. */
  from: UnansweredPlace;
  limit: number;
}>;

/** A page of waiting items, newest first; reads each account's index no further than a page. */
export async function listUnanswered<K extends UnansweredKind>(
  { db, dialect }: Readonly<{ db: Db; dialect: Dialect }>,
  { workspace }: Authority,
  kind: K,
  span: UnansweredSpan,
): Promise<readonly UnansweredRows[K][]> {
  const { table, at, key } = SOURCES[kind];
  const [id, time] = [sql.ref(key), sql.ref(at)];
  const { rows } = await sql<UnansweredRows[K]>`
    select item.* from (
      select near.account_id, near.${id} as id, near.${time} as at from accounts ${joinNewest(dialect, kind, span)}
      where accounts.workspace_id = ${workspace} and ${oneOf(dialect, 'accounts.id', span.accounts)}
      order by near.${time} desc, near.account_id desc, near.${id} desc
      limit ${span.limit + 1}
    ) page join ${sql.table(table)} item on item.account_id = page.account_id and item.${id} = page.id
    order by page.at desc, page.account_id desc, page.id desc`.execute(db);
  return rows;
}

/** Joins accounts with their newest items as `near`; SQLite, without lateral limits, reads down to a time. */
function joinNewest(
  dialect: Dialect,
  kind: UnansweredKind,
  { since, from, limit }: UnansweredSpan,
): RawBuilder<unknown> {
  const { table, at, key, waits, ways } = SOURCES[kind];
  const [items, id, time] = [sql.table(table), sql.ref(key), sql.ref(at)];
  const isNext = (name: string) => {
    const of = sql.ref(name);
    // The time alone as well, to bound the index scan.
    return sql`${of}.account_id = accounts.id and ${sql.raw(waits.map((condition) => `${name}.${condition}`).join(' and '))}
      and ${of}.${time} <= ${from.at}
      and (${of}.${time}, ${of}.account_id, ${of}.${id}) < (${from.at}, ${from.accountId}, ${from.id})
      and ${ways === undefined ? sql`true` : isAllowedIn(dialect, `${name}.capabilities`, ways)}`;
  };
  if (dialect === 'postgres') {
    return sql`cross join lateral (
      select item.account_id, item.${id}, item.${time} from ${items} item where ${isNext('item')} and item.${time} > ${since}
      order by item.${time} desc, item.${id} desc limit ${limit + 1}) near`;
  }
  return sql`join ${items} near on ${isNext('near')} and near.${time} >= coalesce((
    select item.${time} from ${items} item where ${isNext('item')} and item.${time} > ${since}
    order by item.${time} desc limit 1 offset ${limit}), ${since + 1})`;
}
