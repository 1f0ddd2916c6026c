import type { ExpressionBuilder } from 'kysely';
import type { Database, Row } from '../schema/database.ts';
import { oneOf, type Dialect } from '../store/dialect.ts';
import type { Db } from '../store/tx.ts';
import type { TargetRow } from './targets.ts';

export type Repeat = Pick<TargetRow, 'fingerprint' | 'post_id' | 'status' | 'created_at'> &
  Pick<Row<'posts'>, 'source'>;

const OUTGOING = ['scheduled', 'publishing', 'published'] as const;

/** Targets that block equal content: recent ones with certain statuses, and failed ones that may be public. */
const guards =
  (statuses: readonly TargetRow['status'][], since: number) =>
  (eb: ExpressionBuilder<Pick<Database, 'targets'>, 'targets'>) =>
    eb.or([
      eb.and([eb('targets.status', 'in', statuses), eb('targets.created_at', '>', since)]),
      eb.and([
        eb('targets.status', '=', 'failed'),
        eb.or([eb('targets.unsettled', '=', 1), eb('targets.platform_post_id', 'is not', null)]),
      ]),
    ]);

/** Targets with one of the fingerprints that are pending, public or possibly public, oldest first. */
export function findDuplicates(
  db: Db,
  dialect: Dialect,
  accountIds: readonly string[],
  fingerprints: readonly string[],
  since: number,
): Promise<Pick<TargetRow, 'account_id' | 'fingerprint' | 'post_id' | 'status'>[]> {
  return db
    .selectFrom('targets')
    .innerJoin('posts', 'posts.id', 'targets.post_id')
    .select(['targets.account_id', 'targets.fingerprint', 'targets.post_id', 'targets.status'])
    .where(oneOf(dialect, 'targets.account_id', accountIds))
    .where(oneOf(dialect, 'targets.fingerprint', fingerprints))
    .where(guards(OUTGOING, since))
    .where('posts.deleted_at', 'is', null)
    .orderBy('targets.created_at')
    .execute();
}

/** The same for one account, drafts included, newest first. */
export function findRepeats(
  db: Db,
  dialect: Dialect,
  accountId: string,
  fingerprints: readonly string[],
  since: number,
): Promise<Repeat[]> {
  return db
    .selectFrom('targets')
    .innerJoin('posts', 'posts.id', 'targets.post_id')
    .select(['targets.fingerprint', 'targets.post_id', 'targets.status', 'targets.created_at', 'posts.source'])
    .where('targets.account_id', '=', accountId)
    .where(oneOf(dialect, 'targets.fingerprint', fingerprints))
    .where(guards(['pending', ...OUTGOING], since))
    .where('posts.deleted_at', 'is', null)
    .orderBy('targets.created_at', 'desc')
    .execute();
}
