import { sql, type ExpressionBuilder, type SqlBool } from 'kysely';
import type { Database } from '../schema/database.ts';
import { oneOf, statusIs, type Dialect } from '../store/dialect.ts';
import type { Db } from '../store/tx.ts';
import type { TargetRow } from './targets.ts';

export type Repeat = Pick<TargetRow, 'fingerprint' | 'post_id' | 'status' | 'created_at'>;

const OUTGOING = ['scheduled', 'publishing', 'published'] as const;

/** Targets that block equal content: recent ones that are public or will be, and failed ones that may be public. */
const guards =
  (since: number) =>
  ({ eb, or, and }: ExpressionBuilder<Pick<Database, 'targets'>, 'targets'>) =>
    and([
      // As in the condition of the index.
      sql<SqlBool>`targets.status <> 'pending'`,
      or([
        and([eb('targets.status', 'in', OUTGOING), eb('targets.created_at', '>', since)]),
        and([
          eb('targets.status', '=', 'failed'),
          or([eb('targets.unsettled', '=', 1), eb('targets.platform_post_id', 'is not', null)]),
        ]),
      ]),
    ]);

/** Targets with one of the fingerprints that are scheduled, public or possibly public, oldest first. */
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
    .where(guards(since))
    .where('posts.deleted_at', 'is', null)
    .orderBy('targets.created_at')
    .execute();
}

/** The same for one account, with recent drafts of imports, newest first. */
export function findRepeats(
  db: Db,
  dialect: Dialect,
  accountId: string,
  fingerprints: readonly string[],
  since: number,
): Promise<Repeat[]> {
  const repeats = db
    .selectFrom('targets')
    .innerJoin('posts', 'posts.id', 'targets.post_id')
    .select(['targets.fingerprint', 'targets.post_id', 'targets.status', 'targets.created_at as created_at'])
    .where('targets.account_id', '=', accountId)
    .where(oneOf(dialect, 'targets.fingerprint', fingerprints))
    .where('posts.deleted_at', 'is', null);
  const drafts = repeats
    .where(statusIs('targets', 'pending'))
    .where('targets.created_at', '>', since)
    .where('posts.source', '=', 'import');
  return repeats.where(guards(since)).unionAll(drafts).orderBy('created_at', 'desc').execute();
}
