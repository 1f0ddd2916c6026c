import { sql } from 'kysely';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { AccountRow } from '../access/accounts.ts';
import { byDialect, claim, oneOf, rowsOf, statusIs, type Dialect } from '../store/dialect.ts';
import { statement } from '../store/statement.ts';
import { NEVER } from '../schema/database.ts';
import { isNoDraft, type TargetRow } from './targets.ts';
import type { Db, Queryable } from '../store/tx.ts';

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

/** Claims those targets that are still free, until the transaction ends; `storeClaimed` stores their leases. */
export async function claimTargets(
  { db, dialect }: Queryable,
  ids: readonly string[],
  { now, lease }: Readonly<{ now: number; lease: Readonly<{ token: string; until: number }> }>,
): Promise<ClaimedTarget[]> {
  const rows = await claim(dialect, dueTargets(db, now).selectAll('targets').where('id', 'in', ids)).execute();
  const set = { lease_token: lease.token, lease_until: lease.until, due_at: lease.until };
  return rows.map((row) => ({ ...row, ...set, was_due: row.due_at }));
}

/** The accounts of claimed targets, in no particular order. */
export async function accountsOf(
  { db, dialect }: Queryable,
  targets: readonly Pick<TargetRow, 'account_id'>[],
): Promise<readonly AccountRow[]> {
  return (await accountsIn[dialect](db, { ids: [...new Set(targets.map(({ account_id }) => account_id))] })).rows;
}

const accountsIn = byDialect((dialect) =>
  statement((db, slot: Readonly<{ ids: readonly string[] }>) =>
    db
      .selectFrom('accounts')
      .selectAll()
      .where(oneOf(dialect, 'id', slot.ids)),
  ),
);

const CLAIMED = Object.freeze({
  id: 'text',
  status: 'text',
  attempts: 'bigint',
  started_at: 'bigint',
  due_at: 'bigint',
  lease_token: 'text',
  lease_until: 'bigint',
});

/** Stores the leases of claimed targets, and which attempts begin. */
export async function storeClaimed(
  { db, dialect }: Queryable,
  targets: readonly Pick<TargetRow, keyof typeof CLAIMED>[],
): Promise<void> {
  const rows = targets.map(({ id, status, attempts, started_at, due_at, lease_token, lease_until }) => {
    return { id, status, attempts, started_at, due_at, lease_token, lease_until };
  });
  await sql`
    update targets set status = claimed.status, attempts = claimed.attempts, started_at = claimed.started_at,
      due_at = claimed.due_at, lease_token = claimed.lease_token, lease_until = claimed.lease_until
    from ${rowsOf(dialect, 'claimed', CLAIMED, rows)} where targets.id = claimed.id`.execute(db);
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
