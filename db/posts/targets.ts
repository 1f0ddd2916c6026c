import { sql, type SqlBool } from 'kysely';
import { livingBrands } from '../access/brands.ts';
import { livingWorkspaces } from '../access/users.ts';
import type { Db, Queryable } from '../store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import { chunksOf } from '#kernel/limits/chunks.ts';
import { NEVER, type NewRow, type Row, type RowPatch } from '../schema/database.ts';
import { byDialect, hold, rowsOf, type Dialect } from '../store/dialect.ts';
import { jsonText } from '../store/json.ts';
import { firstOf, hasChanged, statement, writing } from '../store/statement.ts';

/** How many rows one INSERT may have. */
const ROWS_PER_INSERT = 200;

export type TargetRow = Row<'targets'>;

/** All targets of some posts, in order. Only for the engine. */
export async function listTargets(db: Db, postIds: readonly string[]): Promise<TargetRow[]> {
  const [postId] = postIds;
  if (postId === undefined) return [];
  return postIds.length === 1 ? (await ofOnePost(db, { postId })).rows : targetsAmong(db, postIds).execute();
}

const ofOnePost = statement(targetsOf);

/** The targets of some posts that the caller can see: docs/contract/access.md#brand-limited-keys. */
export function visibleTargets(db: Db, { brands }: Authority, postIds: readonly string[]): Promise<TargetRow[]> {
  if (!brands || postIds.length === 0) return listTargets(db, postIds);
  return targetsAmong(db, postIds).where('brand_id', 'in', livingBrands(db, brands)).execute();
}

function targetsAmong(db: Db, postIds: readonly string[]) {
  return db.selectFrom('targets').selectAll().where('post_id', 'in', postIds).orderBy('post_id').orderBy('position');
}

/** The targets of a post, in order. This is read often, so it is compiled once. */
export function targetsOf(db: Db, { postId }: Readonly<{ postId: string }>) {
  return db.selectFrom('targets').selectAll().where('post_id', '=', postId).orderBy('position');
}

export async function loadTarget(db: Db, id: string): Promise<TargetRow | undefined> {
  return firstOf(await byId(db, { id }));
}

const byId = statement((db, slot: { id: string }) => db.selectFrom('targets').selectAll().where('id', '=', slot.id));

/** Whether a target exists and its workspace was not removed. */
export async function isLivingTarget(db: Db, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('targets')
    .select('id')
    .where('id', '=', id)
    .where('workspace_id', 'in', livingWorkspaces(db))
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertTargets(db: Db, rows: readonly NewRow<'targets'>[]): Promise<void> {
  const [row] = rows;
  if (row !== undefined && rows.length === 1) return void (await inserting(db, row));
  // A statement takes a limited number of parameters, and each row needs one per column.
  for (const some of chunksOf(rows, ROWS_PER_INSERT)) await db.insertInto('targets').values(some).execute();
}

const inserting = writing((db, row: NewRow<'targets'>) => db.insertInto('targets').values(row));

export async function deleteTargets(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('targets').where('id', 'in', ids).execute();
}

/** Changes a target in any state. Call it only if no attempt can be running. */
export async function patchTarget(db: Db, id: string, patch: RowPatch<'targets'>): Promise<void> {
  await patching(db, patch, { id });
}

const patching = writing((db, patch: RowPatch<'targets'>, slot: { id: string }) =>
  db.updateTable('targets').set(patch).where('id', '=', slot.id),
);

/** Cancels a target that is not running and of which nothing can be public; false otherwise. */
export async function cancelIdle(db: Db, id: string): Promise<boolean> {
  const result = await db
    .updateTable('targets')
    .set({ status: 'cancelled', due_at: NEVER })
    .where('id', '=', id)
    .where('lease_token', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('steps')
            .select('steps.name')
            .whereRef('steps.target_id', '=', 'targets.id')
            .where('steps.kind', '<>', 'invisible')
            .where('steps.state', '<>', 'kept'),
        ),
      ),
    )
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** False if the lease was lost; then the caller must stop. */
export async function patchLeased(db: Db, id: string, token: string, patch: RowPatch<'targets'>): Promise<boolean> {
  return hasChanged(await patchingLeased(db, patch, { id, token }));
}

const patchingLeased = writing((db, patch: RowPatch<'targets'>, slot: { id: string; token: string }) =>
  db.updateTable('targets').set(patch).where('id', '=', slot.id).where('lease_token', '=', slot.token),
);

/** Locks a target until the transaction ends if its lease is still this one and ends no sooner. */
export async function holdLeased(
  { db, dialect }: Queryable,
  slot: Readonly<{ id: string; token: string; until: number }>,
): Promise<boolean> {
  return (await holdingLeased[dialect](db, slot)).rows.length > 0;
}

const holdingLeased = byDialect((dialect) =>
  statement((db, slot: Readonly<{ id: string; token: string; until: number }>) =>
    hold(
      dialect,
      db
        .selectFrom('targets')
        .select('id')
        .where('id', '=', slot.id)
        .where('lease_token', '=', slot.token)
        .where('lease_until', '>=', slot.until),
    ),
  ),
);

/** Leases a published target whose follow-up is due; false if somebody else has it or it is done. */
export async function takeFollowUp(
  db: Db,
  id: string,
  lease: Readonly<{ token: string; until: number }>,
  now: number,
): Promise<boolean> {
  const result = await db
    .updateTable('targets')
    .set({ lease_token: lease.token, lease_until: lease.until, due_at: lease.until })
    .where('id', '=', id)
    .where('status', '=', 'published')
    .where('due_at', '<=', now)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Postpones the follow-ups of published targets, running ones too. Returns the targets that had one. */
export async function stopFollowUps(db: Db, ids: readonly string[], until: number): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .updateTable('targets')
    .set({ lease_token: null, lease_until: 0, due_at: until })
    .where('id', 'in', ids)
    .where('status', '=', 'published')
    .where('due_at', '<', NEVER)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Makes new posts for these accounts wait for each other until the transaction ends. */
export async function holdAccounts(db: Db, dialect: Dialect, ids: readonly string[]): Promise<void> {
  await hold(dialect, db.selectFrom('accounts').select('id').where('id', 'in', ids).orderBy('id')).execute();
}

export function findPostOf(
  db: Db,
  account: Readonly<{ id: string; workspace_id: string }>,
  platformPostId: string,
): Promise<{ post_id: string } | undefined> {
  return db
    .selectFrom('targets')
    .innerJoin('posts', 'posts.id', 'targets.post_id')
    .select('targets.post_id')
    .where('targets.workspace_id', '=', account.workspace_id)
    .where('targets.platform_post_id', '=', platformPostId)
    .where('targets.account_id', '=', account.id)
    .where('posts.deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
}

export type KnownTarget = Pick<
  TargetRow,
  'id' | 'post_id' | 'platform_post_id' | 'fingerprint' | 'metrics' | 'metrics_synced_at'
>;

const KNOWN = ['id', 'post_id', 'platform_post_id', 'fingerprint', 'metrics', 'metrics_synced_at'] as const;

export function knownTargets(
  db: Db,
  account: Readonly<{ id: string; workspace_id: string }>,
  platformPostIds: readonly string[],
): Promise<KnownTarget[]> {
  if (platformPostIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('targets')
    .select(KNOWN)
    .where('workspace_id', '=', account.workspace_id)
    .where('platform_post_id', 'in', platformPostIds)
    .where('account_id', '=', account.id)
    .execute();
}

/** True for all but drafts. A literal, as in the condition of the index by which an account's targets are found. */
export const isNoDraft = sql<SqlBool>`targets.status <> 'pending'`;

/** What an account has published lately, through this server or elsewhere. */
export function publishedTargets(db: Db, accountId: string, since: number): Promise<KnownTarget[]> {
  return db
    .selectFrom('targets')
    .select(KNOWN)
    .where('account_id', '=', accountId)
    .where(isNoDraft)
    .where('status', '=', 'published')
    .where('published_at', '>=', since)
    .where('platform_post_id', 'is not', null)
    .execute();
}

export async function patchNamed(
  db: Db,
  account: Readonly<{ id: string; workspace_id: string }>,
  platformPostId: string,
  patch: Pick<RowPatch<'targets'>, 'permalink'>,
): Promise<void> {
  await db
    .updateTable('targets')
    .set(patch)
    .where('workspace_id', '=', account.workspace_id)
    .where('platform_post_id', '=', platformPostId)
    .where('account_id', '=', account.id)
    .execute();
}

const VIEW_COLUMNS = Object.freeze({
  id: 'text',
  permalink: 'text',
  metrics: 'text',
  metrics_synced_at: 'bigint',
  platform_media: 'text',
});

/** A target as its platform shows it. Without a permalink, the stored one is kept. */
export type TargetView = Readonly<Pick<TargetRow, keyof typeof VIEW_COLUMNS>>;

export async function refreshTargets(db: Db, dialect: Dialect, views: readonly TargetView[]): Promise<void> {
  if (views.length === 0) return;
  const textOf = (value: unknown) => (value === null ? null : jsonText(value));
  const rows = views.map(({ permalink, metrics, platform_media, ...row }) => ({
    ...row,
    permalink: permalink?.toWellFormed() ?? null,
    metrics: textOf(metrics),
    platform_media: textOf(platform_media),
  }));
  await sql`
    update targets set permalink = coalesce(shown.permalink, targets.permalink), metrics = shown.metrics,
      metrics_synced_at = shown.metrics_synced_at, platform_media = shown.platform_media
    from ${rowsOf(dialect, 'shown', VIEW_COLUMNS, rows)}
    where targets.id = shown.id and targets.status = 'published'`.execute(db);
}

/** Those targets that are being published or have a follow-up. */
export async function openTargets(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('targets')
    .select('id')
    .where('id', 'in', ids)
    .where(({ eb, or, and }) =>
      or([eb('status', '=', 'publishing'), and([eb('status', '=', 'published'), eb('due_at', '<', NEVER)])]),
    )
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export async function countScheduled(db: Db, accountIds: readonly string[]): Promise<number> {
  if (accountIds.length === 0) return 0;
  const row = await db
    .selectFrom('targets')
    .select((eb) => eb.fn.count<number>('post_id').distinct().as('n'))
    .where('account_id', 'in', accountIds)
    .where(isNoDraft)
    .where('status', '=', 'scheduled')
    .executeTakeFirstOrThrow();
  return row.n;
}
