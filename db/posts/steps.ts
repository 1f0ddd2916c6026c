import type { ExpressionBuilder } from 'kysely';
import type { Database, NewRow, Row } from '../schema/database.ts';
import { byDialect, oneOf } from '../store/dialect.ts';
import { statement, writing } from '../store/statement.ts';
import type { Db, Queryable } from '../store/tx.ts';

export type StepRow = Row<'steps'>;

export async function listSteps(db: Db, targetId: string): Promise<StepRow[]> {
  return (await stepsOf(db, { targetId })).rows;
}

/** The steps of several targets, in no particular order. */
export async function stepsAmong({ db, dialect }: Queryable, targetIds: readonly string[]): Promise<StepRow[]> {
  return (await stepsIn[dialect](db, { targetIds })).rows;
}

const stepsIn = byDialect((dialect) =>
  statement((db, slot: Readonly<{ targetIds: readonly string[] }>) =>
    db
      .selectFrom('steps')
      .selectAll()
      .where(oneOf(dialect, 'target_id', slot.targetIds)),
  ),
);

const stepsOf = statement((db, slot: { targetId: string }) =>
  db.selectFrom('steps').selectAll().where('target_id', '=', slot.targetId),
);

export async function sendStep(
  db: Db,
  targetId: string,
  step: Pick<StepRow, 'name' | 'kind'>,
  now: number,
): Promise<void> {
  await sending(db, { targetId, name: step.name, kind: step.kind, now });
}

const sending = statement(
  (db, { targetId, name, kind, now }: Pick<StepRow, 'name' | 'kind'> & Readonly<{ targetId: string; now: number }>) =>
    db
      .insertInto('steps')
      .values({ target_id: targetId, name, kind, state: 'sent', sent_at: now })
      .onConflict((conflict) => conflict.columns(['target_id', 'name']).doUpdateSet({ state: 'sent', sent_at: now })),
);

export async function keepProgress(
  db: Db,
  targetId: string,
  { name, kind, progress }: Pick<StepRow, 'name' | 'kind' | 'progress'>,
  now: number,
): Promise<void> {
  await db
    .insertInto('steps')
    .values({ target_id: targetId, name, kind, state: 'sent', sent_at: now, progress })
    .onConflict((conflict) => conflict.columns(['target_id', 'name']).doUpdateSet({ progress }))
    .execute();
}

/** A completed step, which has either `result` or `sealed_result`. */
export type FinishedStep = Pick<StepRow, 'name' | 'kind' | 'result' | 'sealed_result'>;

/** Stores the result of a step, which is then not repeated. */
export async function finishStep(db: Db, targetId: string, step: FinishedStep, now: number): Promise<void> {
  await finishing(db, { ...step, target_id: targetId, state: 'done', sent_at: now, done_at: now });
}

const finishing = writing((db, row: NewRow<'steps'>) =>
  db
    .insertInto('steps')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['target_id', 'name']).doUpdateSet((eb) => ({
        result: eb.ref('excluded.result'),
        sealed_result: eb.ref('excluded.sealed_result'),
        state: eb.ref('excluded.state'),
        done_at: eb.ref('excluded.done_at'),
        progress: null,
      })),
    ),
);

/** Clears the mark of a step that was sent but certainly had no effect. Its progress stays. */
export async function clearSent(db: Db, targetId: string): Promise<void> {
  const isSent = (eb: ExpressionBuilder<Database, 'steps'>) =>
    eb.and([eb('target_id', '=', targetId), eb('state', '=', 'sent')]);
  await db.deleteFrom('steps').where(isSent).where('progress', 'is', null).execute();
  await db.updateTable('steps').set({ state: 'kept' }).where(isSent).execute();
}

export async function forgetSteps(db: Db, targetId: string, names: readonly string[]): Promise<void> {
  await db.deleteFrom('steps').where('target_id', '=', targetId).where('name', 'in', names).execute();
}

export async function clearSteps(db: Db, targetIds: readonly string[]): Promise<void> {
  if (targetIds.length > 0) await db.deleteFrom('steps').where('target_id', 'in', targetIds).execute();
}
