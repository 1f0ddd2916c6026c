import type { JobKind } from '#kernel/jobs.ts';
import { claim, type Dialect } from './dialect.ts';
import { statement } from './statement.ts';
import type { Db, NewJob } from './tx.ts';
import type { Row } from '../schema/database.ts';

export type JobRow = Row<'jobs'>;

/** Adds a job, or moves an equal one to the earlier time; a running one loses its lease and runs again. */
export async function insertJob(db: Db, id: string, job: NewJob, now: number): Promise<void> {
  await inserting(db, { ...job, id, now });
}

const inserting = statement((db, slot: NewJob & Readonly<{ id: string; now: number }>) =>
  db
    .insertInto('jobs')
    .values({
      id: slot.id,
      kind: slot.kind,
      key: slot.key,
      // Kind and key are all; other data is in the rows it concerns.
      payload: {},
      run_at: slot.runAt,
      created_at: slot.now,
      attempts: 0,
      lease_until: 0,
    })
    .onConflict((conflict) =>
      conflict.columns(['kind', 'key']).doUpdateSet((eb) => ({
        lease_token: null,
        lease_until: 0,
        run_at: eb
          .case()
          .when('jobs.run_at', '<', eb.ref('excluded.run_at'))
          .then(eb.ref('jobs.run_at'))
          .else(eb.ref('excluded.run_at'))
          .end(),
      })),
    ),
);

/** When each kind's first job is due: a row per kind, null without one. */
export function soonestJobs(db: Db, kinds: readonly [JobKind, ...JobKind[]]) {
  // Per kind, as the first row of an index costs one step however many follow.
  const soonest = (kind: JobKind) =>
    db
      .selectFrom('jobs')
      .select(({ fn }) => fn.min('run_at').as('at'))
      .where('kind', '=', kind);
  const [first, ...rest] = kinds;
  return rest.reduce((rows, kind) => rows.unionAll(soonest(kind)), soonest(first));
}

/** False if the lease was lost. */
export async function finishJob(db: Db, id: string, token: string): Promise<boolean> {
  const result = await db.deleteFrom('jobs').where('id', '=', id).where('lease_token', '=', token).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Claims due jobs; their due time moves to the end of the lease, which reveals a crash. */
export async function claimJobs(
  db: Db,
  dialect: Dialect,
  kinds: readonly JobKind[],
  now: number,
  limit: number,
  lease: Readonly<{ token: string; until: number }>,
): Promise<JobRow[]> {
  const due = await claim(
    dialect,
    db
      .selectFrom('jobs')
      .selectAll()
      .where('kind', 'in', kinds)
      .where('run_at', '<=', now)
      .where('lease_until', '<=', now)
      .orderBy('run_at')
      .orderBy('id')
      .limit(limit),
  ).execute();
  if (due.length === 0) return [];
  const ids = due.map(({ id }) => id);
  const set = { lease_token: lease.token, lease_until: lease.until, run_at: lease.until };
  await db.updateTable('jobs').set(set).where('id', 'in', ids).execute();
  return due;
}

export async function postponeJob(db: Db, id: string, token: string, runAt: number, attempts: number): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ run_at: runAt, lease_token: null, lease_until: 0, attempts })
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .execute();
}
