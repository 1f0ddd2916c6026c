import { sql, type RawBuilder } from 'kysely';
import type { Authority } from '#kernel/authority.ts';
import { isAllowedIn, oneOf, type Dialect } from '../store/dialect.ts';
import type { Queryable } from '../store/tx.ts';
import type { CommentRow } from './comments.ts';
import type { ConversationRow } from './conversations.ts';
import type { MentionRow } from './mentions.ts';
import type { ReviewRow } from './reviews.ts';

/** Kinds of items that can wait for an answer. Items of the same time are in this order. */
export const UNANSWERED_KINDS = ['conversation', 'comment', 'review', 'mention'] as const;
export type UnansweredKind = (typeof UNANSWERED_KINDS)[number];

type Source = Readonly<{
  table: 'conversations' | 'comments' | 'reviews' | 'mentions';
  at: 'last_message_at' | 'created_at';
  key: 'id' | 'platform_id';
  /** The conditions for waiting, written as in the index, because SQLite cannot match parameters with it. */
  waits: readonly string[];
  /** Names in `capabilities`. If all are false nobody can answer, so the item does not wait. */
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

/** A position in a list that is sorted by time, account and id. */
export type UnansweredPlace = Readonly<{ at: number; accountId: string; id: string }>;

export type UnansweredSpan = Readonly<{
  accounts: readonly string[];
  /** Only items after this time. */
  since: number;
  /** Only items after this position in the list. */
  from: UnansweredPlace;
  limit: number;
}>;

/** A page of waiting items, newest first. Reads no more than a page from the index of each account. */
export async function listUnanswered<K extends UnansweredKind>(
  { db, dialect }: Queryable,
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

/** Joins accounts with their newest items as `near`. SQLite has no lateral joins, so there a time is the limit. */
function joinNewest(
  dialect: Dialect,
  kind: UnansweredKind,
  { since, from, limit }: UnansweredSpan,
): RawBuilder<unknown> {
  const { table, at, key, waits, ways } = SOURCES[kind];
  const [items, id, time] = [sql.table(table), sql.ref(key), sql.ref(at)];
  const isNext = (name: string) => {
    const of = sql.ref(name);
    // The time is also compared alone, to limit the index scan.
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
