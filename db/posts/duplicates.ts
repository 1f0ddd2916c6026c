import { sql, type ExpressionBuilder, type SqlBool } from 'kysely';
import type { Database } from '../schema/database.ts';
import { oneOf, rowsOf, type Dialect } from '../store/dialect.ts';
import type { Db, Queryable } from '../store/tx.ts';
import { isNoDraft, type TargetRow } from './targets.ts';

/** Identifies content on an account. */
export type Mark = Pick<TargetRow, 'account_id' | 'fingerprint'>;
export type Repeat = Pick<TargetRow, 'fingerprint' | 'post_id' | 'status' | 'created_at'>;

const OUTGOING = ['scheduled', 'publishing', 'published'] as const;

/** Targets that block equal content: recent ones that are public or will be, and failed ones that may be public. */
const guards =
  (since: number) =>
  ({ eb, or, and }: ExpressionBuilder<Pick<Database, 'targets'>, 'targets'>) =>
    and([
      isNoDraft,
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

/** The same for marks of several accounts, with the drafts that were imported in `workspace`, newest first. */
export function findRepeats(
  { db, dialect }: Queryable,
  workspace: string,
  marks: readonly Mark[],
  since: number,
): Promise<Repeat[]> {
  const asked = rowsOf(dialect, 'asked', { account_id: 'text', fingerprint: 'text' }, marks);
  const repeats = db
    .selectFrom('targets')
    .innerJoin('posts', 'posts.id', 'targets.post_id')
    .select(['targets.fingerprint', 'targets.post_id', 'targets.status', 'targets.created_at as created_at'])
    .where(sql<SqlBool>`(targets.account_id, targets.fingerprint) in (select account_id, fingerprint from ${asked})`)
    .where('posts.deleted_at', 'is', null);
  const drafts = repeats
    .where('posts.workspace_id', '=', workspace)
    .where('posts.created_at', '>', since)
    // As in the condition of the index.
    .where(sql<SqlBool>`posts.source = 'import'`)
    .where('targets.status', '=', 'pending');
  return repeats.where(guards(since)).unionAll(drafts).orderBy('created_at', 'desc').execute();
}
