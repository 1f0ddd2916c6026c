import type { JobKind } from '#kernel/jobs.ts';
import { claim, oneOf, type Dialect } from './dialect.ts';
import { hasChanged, statement } from './statement.ts';
import type { Db, NewJob } from './tx.ts';
import type { Row } from '../schema/database.ts';

export type JobRow = Row<'jobs'>;

/** Adds a job, or moves an equal one to an earlier time. A running one loses its lease and runs again. */
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
      // A job needs only kind and key; everything else is in the rows it works on.
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

/** When the first job of each kind is due: one row per kind, null if there is none. */
export function soonestJobs(db: Db, kinds: readonly [JobKind, ...JobKind[]]) {
  // One query per kind, because reading the first entry of an index is fast however many follow.
  const soonest = (kind: JobKind) =>
    db
      .selectFrom('jobs')
      .select(({ fn }) => fn.min('run_at').as('at'))
      .where('kind', '=', kind);
  const [first, ...rest] = kinds;
  return rest.reduce((rows, kind) => rows.unionAll(soonest(kind)), soonest(first));
}

/** How many jobs of a kind are due and wait to be started. */
export async function countDueJobs(db: Db, kind: JobKind, now: number): Promise<number> {
  const due = db.selectFrom('jobs').where('kind', '=', kind).where('run_at', '<=', now);
  const { n } = await due.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
  return n;
}

/** False if the lease was lost. */
export async function finishJob(db: Db, id: string, token: string): Promise<boolean> {
  return hasChanged(await finishing(db, { id, token }));
}

const finishing = statement((db, slot: Readonly<{ id: string; token: string }>) =>
  db.deleteFrom('jobs').where('id', '=', slot.id).where('lease_token', '=', slot.token),
);

type Lease = Readonly<{ token: string; until: number }>;

/** Claims due jobs of some kinds. Their due time becomes the end of the lease, after which a crash is noticed. */
export function claimingJobs(dialect: Dialect, kinds: readonly JobKind[]) {
  const due = statement((db, slot: Readonly<{ now: number; limit: number }>) =>
    claim(
      dialect,
      db
        .selectFrom('jobs')
        .selectAll()
        .where('kind', 'in', kinds)
        .where('run_at', '<=', slot.now)
        .where('lease_until', '<=', slot.now)
        .orderBy('run_at')
        .orderBy('id')
        .limit(slot.limit),
    ),
  );
  const leasing = statement((db, { ids, token, until }: Lease & Readonly<{ ids: readonly string[] }>) =>
    db
      .updateTable('jobs')
      .set({ lease_token: token, lease_until: until, run_at: until })
      .where(oneOf(dialect, 'id', ids)),
  );
  return async function claimJobs(db: Db, now: number, limit: number, lease: Lease): Promise<readonly JobRow[]> {
    const { rows } = await due(db, { now, limit });
    if (rows.length > 0) await leasing(db, { ...lease, ids: rows.map(({ id }) => id) });
    return rows;
  };
}

type Postponed = Readonly<{ id: string; token: string; runAt: number; attempts: number }>;

/** False if the lease was lost. */
export async function postponeJob(db: Db, postponed: Postponed): Promise<boolean> {
  return hasChanged(await postponing(db, postponed));
}

const postponing = statement((db, slot: Postponed) =>
  db
    .updateTable('jobs')
    .set({ run_at: slot.runAt, lease_token: null, lease_until: 0, attempts: slot.attempts })
    .where('id', '=', slot.id)
    .where('lease_token', '=', slot.token),
);
