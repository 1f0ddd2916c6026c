import { sql } from 'kysely';
import { livingBrands } from '../access/brands.ts';
import { beyond } from '../store/keyset.ts';
import { contains, rowsOf, type Dialect } from '../store/dialect.ts';
import { jsonText } from '../store/json.ts';
import { firstOf, statement, writing } from '../store/statement.ts';
import { holdMediaAmong } from './media.ts';
import { pagesNamed } from '../access/pages.ts';
import { fail } from '#kernel/errors.ts';
import type { PageSpan } from '#kernel/pagination.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Db } from '../store/tx.ts';
import { authorityOver, type Authority } from '#kernel/authority.ts';
import type { NewRow, PostStatus, Row, RowPatch } from '../schema/database.ts';

export type PostRow = Row<'posts'>;

export type PostSort = 'scheduled_asc' | 'scheduled_desc' | 'created_asc' | 'created_desc';
export type PostFilter = Readonly<{
  accountIds?: readonly string[] | undefined;
  brandId?: string | undefined;
  statuses?: readonly PostStatus[] | undefined;
  platform?: PlatformSlug | undefined;
  pageId?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
  mediaId?: string | undefined;
  search?: string | undefined;
  hidden: boolean;
}>;

/** Posts that were not deleted. A key limited to brands sees those with a target in one of its brands. */
function visible(db: Db, authority: Authority) {
  const query = db
    .selectFrom('posts')
    .where('posts.workspace_id', '=', authority.workspace)
    .where('posts.deleted_at', 'is', null);
  const { brands } = authority;
  if (!brands) return query;
  return query.where((eb) =>
    eb.exists(
      eb
        .selectFrom('targets')
        .whereRef('targets.post_id', '=', 'posts.id')
        .where('targets.brand_id', 'in', livingBrands(db, brands))
        .select('targets.id'),
    ),
  );
}

/** A page of visible posts, plus one if there are more. */
export function listPosts(
  db: Db,
  authority: Authority,
  filter: PostFilter,
  page: PageSpan & Readonly<{ sort: PostSort }>,
): Promise<PostRow[]> {
  const column = page.sort.startsWith('scheduled') ? 'posts.sort_at' : 'posts.created_at';
  const ascending = page.sort.endsWith('_asc');
  let query = visible(db, authority).selectAll('posts');
  if (!filter.hidden) query = query.where('posts.hidden', '=', 0);
  if (filter.statuses) query = query.where('posts.status', 'in', filter.statuses);
  if (filter.from !== undefined) query = query.where(column, '>=', filter.from);
  if (filter.to !== undefined) query = query.where(column, '<=', filter.to);
  if (filter.search !== undefined) {
    query = query.where(contains('posts.search', filter.search));
  }
  const { accountIds, brandId, platform, pageId, mediaId } = filter;
  if (mediaId !== undefined) {
    query = query.where((eb) =>
      eb.exists(
        eb
          .selectFrom('post_media')
          .whereRef('post_media.post_id', '=', 'posts.id')
          .where('post_media.media_id', '=', mediaId)
          .select('post_media.media_id'),
      ),
    );
  }
  if (accountIds || brandId !== undefined || platform !== undefined || pageId !== undefined) {
    query = query.where((eb) => {
      let targets = eb.selectFrom('targets').whereRef('targets.post_id', '=', 'posts.id').select('targets.id');
      if (authority.brands) targets = targets.where('targets.brand_id', 'in', livingBrands(db, authority.brands));
      if (accountIds) targets = targets.where('targets.account_id', 'in', accountIds);
      if (brandId !== undefined) targets = targets.where('targets.brand_id', '=', brandId);
      if (platform !== undefined) targets = targets.where('targets.platform', '=', platform);
      if (pageId !== undefined) {
        const named = pagesNamed(db, authority, pageId);
        targets = targets.where(({ eb: of, or }) =>
          or([of('targets.page_id', '=', pageId), of('targets.page_id', 'in', named)]),
        );
      }
      return eb.exists(targets);
    });
  }
  const { from } = page;
  if (from) {
    query = query.where(beyond([column, 'posts.id'], ascending ? '>' : '<', from));
  }
  const direction = ascending ? 'asc' : 'desc';
  return query
    .orderBy(column, direction)
    .orderBy('posts.id', direction)
    .limit(page.limit + 1)
    .execute();
}

export async function findPost(db: Db, authority: Authority, id: string): Promise<PostRow | undefined> {
  if (!authority.brands) return firstOf(await ownPosts(db, { workspace: authority.workspace, id }));
  return visible(db, authority).selectAll('posts').where('posts.id', '=', id).executeTakeFirst();
}

/** The posts with these ids that exist, in no particular order. */
export function findPosts(db: Db, authority: Authority, ids: readonly string[]): Promise<PostRow[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return visible(db, authority).selectAll('posts').where('posts.id', 'in', ids).execute();
}

/** A post for callers who see the whole workspace. This is the most frequent read, so it is compiled once. */
export function ownPost(db: Db, { workspace, id }: Readonly<{ workspace: string; id: string }>) {
  return visible(db, authorityOver(workspace)).selectAll('posts').where('posts.id', '=', id);
}

const ownPosts = statement(ownPost);

/** Visible posts with a platform id. Two platforms can use the same id. */
export async function findPostsByPlatformId(db: Db, authority: Authority, platformPostId: string): Promise<PostRow[]> {
  const { workspace, brands } = authority;
  const targets = db
    .selectFrom('targets')
    .select('post_id')
    .where('workspace_id', '=', workspace)
    .where('platform_post_id', '=', platformPostId);
  // In a single query, SQLite would scan all posts of the workspace.
  const found = await (brands ? targets.where('brand_id', 'in', livingBrands(db, brands)) : targets).execute();
  return findPosts(
    db,
    authority,
    found.map(({ post_id }) => post_id),
  );
}

/** Finds a post in any state, deleted ones too. Only for the engine. */
export async function loadPost(db: Db, id: string): Promise<PostRow | undefined> {
  return firstOf(await byId(db, { id }));
}

/** The same for several posts, in no particular order. */
export function loadPosts(db: Db, ids: readonly string[]): Promise<PostRow[]> {
  return db.selectFrom('posts').selectAll().where('id', 'in', ids).execute();
}

const byId = statement((db, slot: { id: string }) => db.selectFrom('posts').selectAll().where('id', '=', slot.id));

export async function insertPosts(db: Db, rows: readonly NewRow<'posts'>[]): Promise<void> {
  const [row] = rows;
  if (row !== undefined && rows.length === 1) await inserting(db, row);
  else await db.insertInto('posts').values(rows).execute();
}

const inserting = writing((db, row: NewRow<'posts'>) => db.insertInto('posts').values(row));

/** Changes a post if it has one of the states and the expected version; false if somebody else was faster. */
export async function movePost(
  db: Db,
  seen: Pick<PostRow, 'id' | 'version'>,
  states: readonly PostStatus[],
  patch: RowPatch<'posts'>,
): Promise<boolean> {
  const result = await db
    .updateTable('posts')
    .set({ ...patch, version: seen.version + 1 })
    .where('id', '=', seen.id)
    .where('version', '=', seen.version)
    .where('status', 'in', states)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** A version that shows later whether a post has changed. */
export function versionOf({ version, updated_at }: Pick<PostRow, 'version' | 'updated_at'>): string {
  return `${version} ${updated_at}`;
}

/** Locks a post until the transaction ends and returns its current row. */
export async function holdPost(db: Db, id: string): Promise<PostRow | undefined> {
  return firstOf(await holding(db, { id }));
}

const holding = statement((db, slot: { id: string }) =>
  db
    .updateTable('posts')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('id', '=', slot.id)
    .returningAll(),
);

/** Changes a post at any version. Only for the engine, which has the leases of its targets. */
export async function patchPost(db: Db, id: string, patch: RowPatch<'posts'>): Promise<void> {
  await patching(db, patch, { id });
}

const patching = writing((db, patch: RowPatch<'posts'>, slot: { id: string }) =>
  db
    .updateTable('posts')
    .set((eb) => ({ ...patch, version: eb('version', '+', 1) }))
    .where('id', '=', slot.id),
);

/** Marks posts as being published, and returns them as nobody can edit them any more. */
export async function beginPosts(db: Db, ids: readonly string[], now: number): Promise<PostRow[]> {
  if (ids.length === 0) return [];
  return db
    .updateTable('posts')
    .set((eb) => ({ status: 'publishing', updated_at: now, version: eb('version', '+', 1) }))
    .where('id', 'in', ids)
    .returningAll()
    .execute();
}

export async function refreshMedia(
  db: Db,
  dialect: Dialect,
  rows: readonly Pick<PostRow, 'id' | 'media'>[],
): Promise<void> {
  if (rows.length === 0) return;
  const shown = rows.map(({ id, media }) => ({ id, media: jsonText(media) }));
  await sql`
    update posts set media = shown.media from ${rowsOf(dialect, 'shown', { id: 'text', media: 'text' }, shown)}
    where posts.id = shown.id and posts.media <> shown.media`.execute(db);
}

export async function deletePost(db: Db, id: string): Promise<void> {
  await db.deleteFrom('posts').where('id', '=', id).execute();
}

/** Replaces the media items that a post uses. They are locked until the commit. */
export async function usePostMedia(
  db: Db,
  dialect: Dialect,
  authority: Authority,
  postId: string,
  mediaIds: readonly string[],
): Promise<void> {
  await db.deleteFrom('post_media').where('post_id', '=', postId).execute();
  const ids = [...new Set(mediaIds)];
  if (ids.length === 0) return;
  const held = new Set(await holdMediaAmong(db, dialect, authority, ids));
  const gone = ids.find((id) => !held.has(id));
  if (gone !== undefined) fail('media.not_found', { meta: { resource: 'media', id: gone } });
  const uses = ids.map((id) => ({ post_id: postId, media_id: id }));
  await db.insertInto('post_media').values(uses).execute();
}
