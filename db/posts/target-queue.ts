import { sql } from 'kysely';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { claim, statusIs, type Dialect } from '../store/dialect.ts';
import { NEVER } from '../schema/database.ts';
import type { TargetRow } from './targets.ts';
import type { Db } from '../store/tx.ts';

/** What the index of due targets holds. */
const waits = (table: string) => statusIs(table, 'scheduled', 'publishing');

export type ClaimedTarget = TargetRow & Readonly<{ was_due: number }>;

export type TargetQuery = Readonly<{
  now: number;
  most: number;
  /** Whether one more target of a platform may be taken; asked once for each that is about to be. */
  hasRoom?: (platform: PlatformSlug) => boolean;
  /** Platforms that have no room at all. */
  full?: readonly PlatformSlug[];
}>;

/**
 * Targets that are due and may be taken. An account has one target claimed at a time, in whichever process, and what a
 * dead worker left goes before the rest: its posts go out in the order of their times.
 */
function dueTargets(db: Db, now: number) {
  const leased = db
    .selectFrom('targets as leased')
    .select('leased.account_id')
    .where('leased.lease_token', 'is not', null)
    .where(waits('leased'));
  return db
    .selectFrom('targets')
    .where(waits('targets'))
    .where('due_at', '<=', now)
    .where('account_id', 'not in', leased.where('leased.due_at', '>', now))
    .where((eb) =>
      eb.or([eb('lease_token', 'is not', null), eb('account_id', 'not in', leased.where('leased.due_at', '<=', now))]),
    );
}

/**
 * The next target of each account that has one due, the longest due first. Nothing is locked before it is known which
 * one is next: passing over a locked one would change the order.
 */
export async function findDueTargets(
  db: Db,
  { now, most, hasRoom = () => true, full = [] }: TargetQuery,
): Promise<readonly string[]> {
  const due = await dueTargets(db, now)
    .select(['id', 'account_id', 'platform'])
    .$if(full.length > 0, (rows) => rows.where('platform', 'not in', full))
    .orderBy('due_at')
    .orderBy('id')
    .limit(most)
    .execute();
  const heads = new Map<string, string>();
  for (const { id, account_id, platform } of due) {
    if (!heads.has(account_id) && hasRoom(platform)) heads.set(account_id, id);
  }
  return [...heads.values()];
}

/**
 * Claims those of some targets that may still be taken: their lease is set and their due time moved to its end, so that
 * a worker that dies is noticed by the same index.
 */
export async function claimTargets(
  db: Db,
  dialect: Dialect,
  ids: readonly string[],
  { now, lease }: Readonly<{ now: number; lease: Readonly<{ token: string; until: number }> }>,
): Promise<ClaimedTarget[]> {
  const rows = await claim(dialect, dueTargets(db, now).selectAll('targets').where('id', 'in', ids)).execute();
  if (rows.length === 0) return [];
  const set = { lease_token: lease.token, lease_until: lease.until, due_at: lease.until };
  const claimed = rows.map(({ id }) => id);
  await db.updateTable('targets').set(set).where('id', 'in', claimed).execute();
  return rows.map((row) => ({ ...row, ...set, was_due: row.due_at }));
}

/**
 * Has the targets of an account that would become due before a time wait until then, in the order of their times:
 * what a platform holds back for one post it holds back for the others, too. `from` is when the first of them was due.
 */
export async function postponeAccount(
  db: Db,
  accountId: string,
  { from, until }: Readonly<{ from: number; until: number }>,
): Promise<void> {
  // Their distances shrink to a thousandth, which keeps their order and makes none of them wait for long.
  const later = sql<number>`cast(${until + 1} as bigint) + cast((due_at - ${from}) / 1000 as bigint)`;
  await db
    .updateTable('targets')
    .set({ due_at: later })
    .where('account_id', '=', accountId)
    .where(waits('targets'))
    .where('lease_token', 'is', null)
    .where('due_at', '>=', from)
    .where('due_at', '<', until)
    .execute();
}

/** When the first target is due: one row, null where none waits. */
export function soonestTarget(db: Db) {
  return db
    .selectFrom('targets')
    .select(({ fn }) => fn.min('due_at').as('at'))
    .where(waits('targets'));
}

/** When a target becomes due next after a time; undefined when none will. */
export async function nextTargetAt(db: Db, after: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('targets')
    .select('due_at')
    .where(waits('targets'))
    .where('due_at', '>', after)
    .where('due_at', '<', NEVER)
    .orderBy('due_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.due_at;
}

/** Makes what was held while its workspace was blocked due at once. */
export async function releaseHeld(db: Db, workspaceId: string, now: number, restMs: number): Promise<void> {
  const held = db
    .selectFrom('targets')
    .innerJoin('posts', 'posts.id', 'targets.post_id')
    .select('targets.id')
    .where('targets.workspace_id', '=', workspaceId)
    .where('targets.status', '=', 'scheduled')
    .where('targets.lease_token', 'is', null)
    .where('targets.due_at', '>', now)
    .where('targets.due_at', '<=', now + restMs)
    .where((eb) => eb(eb.fn.coalesce('targets.scheduled_at', 'posts.scheduled_at', eb.val(0)), '<=', now));
  await db.updateTable('targets').set({ due_at: now }).where('id', 'in', held).execute();
}
