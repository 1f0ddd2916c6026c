import type { Db } from '../store/tx.ts';

/** The time in which a post came to be that nobody knows the id of, if it did; it has no end while it is under way. */
export type Doubt = Readonly<{ from: number; until: number }>;

/** When an account's targets were sent that have or may have something public, and no id yet. */
export async function targetsInDoubt(db: Db, accountId: string): Promise<readonly Doubt[]> {
  const rows = await db
    .selectFrom('targets')
    .leftJoin('steps', 'steps.target_id', 'targets.id')
    .select(({ fn }) => [
      'targets.status',
      'targets.unsettled',
      'targets.started_at',
      'targets.created_at',
      fn.min<number | null>('steps.sent_at').as('first_at'),
      fn.max<number | null>('steps.sent_at').filterWhere('steps.kind', '<>', 'invisible').as('public_at'),
    ])
    .where('targets.account_id', '=', accountId)
    .where((eb) => eb.or([eb('targets.status', 'in', ['publishing', 'failed']), eb('targets.unsettled', '=', 1)]))
    .groupBy('targets.id')
    .execute();
  return rows.flatMap(({ status, unsettled, started_at, created_at, first_at, public_at }) => {
    // Of a retry, what was prepared before it still bears the time of then.
    const from = Math.min(started_at ?? created_at, first_at ?? Infinity);
    if (status === 'publishing') return [{ from, until: Infinity }];
    // A post that failed half-way has its first part out there.
    return unsettled === 1 || public_at !== null ? [{ from, until: public_at ?? from }] : [];
  });
}
