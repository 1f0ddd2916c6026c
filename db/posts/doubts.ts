import type { Db } from '../store/tx.ts';
import { isNoDraft } from './targets.ts';

/** The period in which a post with an unknown id may have appeared. It has no end while the post is being published. */
export type Doubt = Readonly<{ from: number; until: number }>;

/** The periods of an account's targets that may be public although their id is unknown. */
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
    .where(isNoDraft)
    .where((eb) => eb.or([eb('targets.status', 'in', ['publishing', 'failed']), eb('targets.unsettled', '=', 1)]))
    .groupBy('targets.id')
    .execute();
  return rows.flatMap(({ status, unsettled, started_at, created_at, first_at, public_at }) => {
    // Steps from before a retry keep the time at which they were sent.
    const from = Math.min(started_at ?? created_at, first_at ?? Infinity);
    if (status === 'publishing') return [{ from, until: Infinity }];
    // If only a part of a post failed, its first part is public.
    return unsettled === 1 || public_at !== null ? [{ from, until: public_at ?? from }] : [];
  });
}
