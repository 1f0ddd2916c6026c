import { sql } from 'kysely';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { claim, rowsOf, statusIs, type Dialect } from '../store/dialect.ts';
import { NEVER } from '../schema/database.ts';
import { isNoDraft, type TargetRow } from './targets.ts';
import type { Db } from '../store/tx.ts';

/** The condition of the index of due targets, as it is written there. */
const waits = (table: string) => statusIs(table, 'scheduled', 'publishing');

export type ClaimedTarget = TargetRow & Readonly<{ was_due: number }>;

export type TargetQuery = Readonly<{
  now: number;
  most: number;
  /** Whether there is capacity for another target of a platform; called once per candidate. */
  hasRoom?: (platform: PlatformSlug) => boolean;
  /** Platforms with no capacity left. */
  full?: readonly PlatformSlug[];
}>;

/** Due targets that may be claimed: one per account at a time, and interrupted ones first. */
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

/** The next due target of each account, in order. Not locked yet, as skipping locked rows would change the order. */
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

/** Claims those targets that are still free. Their due time becomes the end of the lease. */
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

const BEGUN = Object.freeze({ id: 'text', attempts: 'bigint', started_at: 'bigint' });

/** Stores that attempts at claimed targets begin. */
export async function beginTargets(
  db: Db,
  dialect: Dialect,
  targets: readonly Pick<TargetRow, keyof typeof BEGUN>[],
): Promise<void> {
  if (targets.length === 0) return;
  const rows = targets.map(({ id, attempts, started_at }) => ({ id, attempts, started_at }));
  await sql`
    update targets set status = 'publishing', attempts = begun.attempts, started_at = begun.started_at
    from ${rowsOf(dialect, 'begun', BEGUN, rows)} where targets.id = begun.id`.execute(db);
}

/** Leases targets that are due or being published, even if others have leased them. */
export async function takeAllDue(
  db: Db,
  dialect: Dialect,
  { now, most, lease }: Readonly<{ now: number; most: number; lease: Readonly<{ token: string; until: number }> }>,
): Promise<readonly TargetRow[]> {
  const due = await claim(
    dialect,
    db
      .selectFrom('targets')
      .selectAll()
      .where(waits('targets'))
      .where(({ or, eb }) => or([eb('status', '=', 'publishing'), eb('due_at', '<=', now)]))
      .orderBy('due_at')
      .orderBy('id')
      .limit(most),
  ).execute();
  const set = { lease_token: lease.token, lease_until: lease.until, due_at: lease.until };
  const ids = due.map(({ id }) => id);
  if (ids.length > 0) await db.updateTable('targets').set(set).where('id', 'in', ids).execute();
  return due.map((target) => ({ ...target, ...set }));
}

/** Drops the follow-ups of all published targets. */
export async function endFollowUps(db: Db): Promise<void> {
  await db
    .updateTable('targets')
    .set({ lease_token: null, lease_until: 0, due_at: NEVER })
    .where('status', '=', 'published')
    .where('due_at', '<', NEVER)
    .execute();
}

/** Postpones the targets of an account that the platform would throttle as well, in the same order. */
export async function postponeAccount(
  db: Db,
  accountId: string,
  { from, until }: Readonly<{ from: number; until: number }>,
): Promise<void> {
  // Divide the distances by a thousand, which keeps the order but avoids long waits.
  const later = sql<number>`cast(${until + 1} as bigint) + cast((due_at - ${from}) / 1000 as bigint)`;
  await db
    .updateTable('targets')
    .set({ due_at: later })
    .where('account_id', '=', accountId)
    .where(isNoDraft)
    .where(waits('targets'))
    .where('lease_token', 'is', null)
    .where('due_at', '>=', from)
    .where('due_at', '<', until)
    .execute();
}

/** Returns one row, whose time is null if no target is pending. */
export function soonestTarget(db: Db) {
  return db
    .selectFrom('targets')
    .select(({ fn }) => fn.min('due_at').as('at'))
    .where(waits('targets'));
}

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

/** Makes targets due that waited because the workspace was blocked. */
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
