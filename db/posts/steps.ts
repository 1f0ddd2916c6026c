import type { Row } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

export type StepRow = Row<'steps'>;

/** The steps of a target that were sent or done. */
export function listSteps(db: Db, targetId: string): Promise<StepRow[]> {
  return db.selectFrom('steps').selectAll().where('target_id', '=', targetId).execute();
}

/** Writes that a step is about to be sent. */
export async function sendStep(
  db: Db,
  targetId: string,
  step: Pick<StepRow, 'name' | 'kind'>,
  now: number,
): Promise<void> {
  await db
    .insertInto('steps')
    .values({ target_id: targetId, name: step.name, kind: step.kind, state: 'sent', sent_at: now })
    .onConflict((conflict) => conflict.columns(['target_id', 'name']).doUpdateSet({ sent_at: now }))
    .execute();
}

/** Writes what a step answered; it is not done again. */
export async function finishStep(db: Db, targetId: string, name: string, result: unknown, now: number): Promise<void> {
  await db
    .updateTable('steps')
    .set({ state: 'done', result: result ?? null, done_at: now })
    .where('target_id', '=', targetId)
    .where('name', '=', name)
    .execute();
}

/** Forgets the step that was sent and not answered: it surely did not take effect. */
export async function clearSent(db: Db, targetId: string): Promise<void> {
  await db.deleteFrom('steps').where('target_id', '=', targetId).where('state', '=', 'sent').execute();
}

/** Forgets the steps of targets whose content changed. */
export async function clearSteps(db: Db, targetIds: readonly string[]): Promise<void> {
  if (targetIds.length > 0) await db.deleteFrom('steps').where('target_id', 'in', targetIds).execute();
}
