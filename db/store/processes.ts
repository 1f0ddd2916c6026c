import { sql, type SqlBool } from 'kysely';
import { deleteSettings, readSetting, writeSetting } from './settings.ts';
import type { Db, Tx } from './tx.ts';

/** What each process on PostgreSQL calls the connection that holds its lock. */
export const LOCK_NAME = 'rostra lock';

/** The setting that holds the ids of the master keys a process has. */
const keysOf = (id: string) => `keys of ${id}`;

/** Registers a process that takes leases, with the master keys it has. */
export async function insertProcess(
  db: Db,
  { id, now, keyIds }: Readonly<{ id: string; now: number; keyIds: readonly string[] }>,
): Promise<void> {
  await writeSetting(db, keysOf(id), keyIds.join(','));
  const row = { id, started_at: now };
  await db
    .insertInto('processes')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** The ids of the master keys a process has; empty if it has not stored them. */
export async function keyIdsOf(db: Db, id: string): Promise<readonly string[]> {
  return (await readSetting(db, keysOf(id)))?.split(',') ?? [];
}

export function otherProcesses(db: Db, { id }: Readonly<{ id: string }>) {
  return db.selectFrom('processes').select('id').where('id', '<>', id);
}

/** The name of another database of this cluster that a process is using, found by the name of its connection. */
export async function databaseInUse(db: Db, oid: string): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select datname as name from pg_database d where oid = ${oid}::oid
    and exists (select from pg_stat_activity where datid = d.oid and application_name = ${LOCK_NAME})`.execute(db);
  return rows[0]?.name;
}

/** Ends all leases of a dead process and returns how many. Their tokens stay, to mark interrupted work. */
export async function endProcess(tx: Tx, id: string, now: number): Promise<number> {
  const { db } = tx;
  const isOfProcess = sql<SqlBool>`lease_token is not null and substr(lease_token, 1, ${id.length}) = ${id}`;
  const over = { lease_until: now } as const;
  const targets = await db
    .updateTable('targets')
    .set({ ...over, due_at: now })
    .where(isOfProcess)
    .where('lease_until', '>', now)
    .returning(['id', 'status'])
    .execute();
  for (const target of targets) {
    if (target.status === 'published') await tx.enqueue({ kind: 'follow_up_post', key: target.id, runAt: now });
  }
  const jobs = await db
    .updateTable('jobs')
    .set({ ...over, run_at: now })
    .where(isOfProcess)
    .where('lease_until', '>', now)
    .returning('kind')
    .execute();
  const deliveries = await db
    .updateTable('deliveries')
    .set({ run_at: now })
    .where(sql<SqlBool>`deliveries.status = 'pending'`)
    .where('run_at', '>', now)
    .where(isOfProcess)
    .executeTakeFirst();
  let others = 0n;
  for (const table of ['accounts', 'idempotency', 'sends'] as const) {
    const ended = await db
      .updateTable(table)
      .set(over)
      .where(isOfProcess)
      .where('lease_until', '>', now)
      .executeTakeFirst();
    others += ended.numUpdatedRows;
  }
  await db.deleteFrom('processes').where('id', '=', id).execute();
  await deleteSettings(db, [keysOf(id)]);
  if (targets.length > 0) tx.signal('targets');
  if (deliveries.numUpdatedRows > 0n) tx.signal('deliveries');
  for (const kind of new Set(jobs.map((job) => job.kind))) tx.signal(`job ${kind}`);
  return targets.length + jobs.length + Number(deliveries.numUpdatedRows + others);
}
