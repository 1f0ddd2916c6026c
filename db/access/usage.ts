import { DAY } from '#kernel/clock.ts';
import type { Counter } from '#kernel/plans.ts';
import { hasChanged, statement } from '../store/statement.ts';
import type { Db } from '../store/tx.ts';

export type Counted = Readonly<Record<Counter, number>>;

/** How long the counters of past periods are kept. */
const KEPT_MS = 60 * DAY;

const NOTHING: Counted = { posts: 0, interactions: 0, exports: 0 };

/** A period without a row counts as unused. */
export async function readUsage(db: Db, workspaceId: string, period: number): Promise<Counted> {
  const row = await db
    .selectFrom('usage')
    .select(['posts', 'interactions', 'exports'])
    .where('workspace_id', '=', workspaceId)
    .where('period_start', '=', period)
    .executeTakeFirst();
  return row ?? NOTHING;
}

/** Takes credits in one UPDATE (`max` -1: unlimited); false if too few are left. Also deletes old counters. */
export async function takeCredits(
  db: Db,
  taken: Readonly<{ workspaceId: string; period: number; counter: Counter; amount: number; max: number }>,
): Promise<boolean> {
  const { workspaceId, period, counter, amount, max } = taken;
  if (hasChanged(await beginning(db, { workspaceId, period }))) {
    await db
      .deleteFrom('usage')
      .where('workspace_id', '=', workspaceId)
      .where('period_start', '<', period - KEPT_MS)
      .execute();
  }
  let query = db
    .updateTable('usage')
    .set((eb) => ({ [counter]: eb(counter, '+', amount) }))
    .where('workspace_id', '=', workspaceId)
    .where('period_start', '=', period);
  if (max >= 0) query = query.where(counter, '<=', max - amount);
  return (await query.executeTakeFirst()).numUpdatedRows > 0n;
}

const beginning = statement((db, slot: { workspaceId: string; period: number }) =>
  db
    .insertInto('usage')
    .values({ workspace_id: slot.workspaceId, period_start: slot.period, posts: 0, interactions: 0, exports: 0 })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'period_start']).doNothing()),
);

/** Gives credits back to their period; usage never drops below zero. */
export async function giveCredits(
  db: Db,
  given: Readonly<{ workspaceId: string; period: number; counter: Counter; amount: number }>,
): Promise<void> {
  await db
    .updateTable('usage')
    .set((eb) => ({ [given.counter]: eb(given.counter, '-', given.amount) }))
    .where('workspace_id', '=', given.workspaceId)
    .where('period_start', '=', given.period)
    .where(given.counter, '>=', given.amount)
    .execute();
}
