import { accountNamed, findAccounts, noAccount } from '../../../../db/access/accounts.ts';
import { findBrand } from '../../../../db/access/brands.ts';
import { listPublishLog, type PublishLogFilter } from '../../../../db/posts/logs.ts';
import { listPosts, ownPost, type PostFilter, type PostRow, type PostSort } from '../../../../db/posts/posts.ts';
import type { Store } from '../../../../db/store/store.ts';
import { targetsOf, visibleTargets } from '../../../../db/posts/targets.ts';
import type { Reach } from '../../../call/caller.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { fail } from '../../../kernel/errors.ts';
import { decodeCursor, encodeCursor, listAnswer, pageOf } from '../../../kernel/page.ts';
import type { PlatformSlug } from '../../../kernel/platforms.ts';
import type { Finding } from './lookup.ts';
import { wirePost, wirePublishLog, type WirePost } from './records.ts';

const DAY = 86_400_000;
const LOG_DAYS = 7;

type Page<F> = Readonly<{ filter: Readonly<F>; limit: number; cursor: string | undefined }>;

export type PostQuery = Page<{
  account_ids?: readonly string[] | undefined;
  brand_id?: string | undefined;
  status?: readonly PostRow['status'][] | undefined;
  platform?: PlatformSlug | undefined;
  page_id?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
  search?: string | undefined;
  sort?: PostSort | undefined;
  hidden?: boolean | undefined;
}>;

export type LogQuery = Page<Omit<PublishLogFilter, 'since'> & { days?: number | undefined }>;

/** Lists of posts and of what happened to them. */
export function makeReading({ store, clock, finding }: Readonly<{ store: Store; clock: Clock; finding: Finding }>) {
  async function refuseUnknown(
    reach: Reach,
    accountIds: readonly string[] | undefined,
    brandId: string | undefined,
  ): Promise<void> {
    if (accountIds) {
      const known = new Set((await findAccounts(store.db, reach, accountIds)).map(({ id }) => id));
      const id = accountIds.find((account) => !known.has(account));
      if (id !== undefined) noAccount(id);
    }
    if (brandId !== undefined && !(await findBrand(store.db, reach, brandId))) {
      fail('brand.not_found', { meta: { resource: 'brand', id: brandId } });
    }
  }

  const findOwn = store.prepared(ownPost);
  const findTargets = store.preparedAll(targetsOf);

  return Object.freeze({
    async list(reach: Reach, { filter: asked, limit, cursor }: PostQuery) {
      const { filters, from } = decodeCursor('posts', cursor, asked);
      const { sort = 'scheduled_asc', hidden = false, account_ids, brand_id, status, page_id, ...plain } = filters;
      await refuseUnknown(reach, account_ids, brand_id);
      const filter: PostFilter = {
        ...plain,
        accountIds: account_ids,
        brandId: brand_id,
        statuses: status,
        pageId: page_id,
        hidden,
      };
      const rows = await listPosts(store.db, reach, filter, { sort, limit, from });
      const at = (row: PostRow) => (sort.startsWith('scheduled') ? row.sort_at : row.created_at);
      const page = pageOf(
        rows,
        limit,
        (row) => ({ at: at(row), id: row.id }),
        (last) => encodeCursor('posts', last, filters),
      );
      const ids = page.rows.map(({ id }) => id);
      const targets = Map.groupBy(await visibleTargets(store.db, reach, ids), ({ post_id }) => post_id);
      const posts = page.rows.map((row) => wirePost(row, targets.get(row.id) ?? []));
      return listAnswer(posts, limit, page.next);
    },

    async get(reach: Reach, id: string): Promise<WirePost> {
      // By far the most frequent way to a post; queries that are built each time cost as much as they take to run.
      const own = reach.brands ? undefined : await findOwn({ workspace: reach.workspace, id });
      const post = own ?? (await finding.anyPost(reach, id));
      const targets = reach.brands
        ? await visibleTargets(store.db, reach, [post.id])
        : await findTargets({ postId: post.id });
      return wirePost(post, targets);
    },

    /** The publishing log of the last days, each of them 24 hours. */
    async logs(reach: Reach, { filter: asked, limit, cursor }: LogQuery) {
      const { filters, from } = decodeCursor('publish_log', cursor, asked);
      const { days = LOG_DAYS, ...filter } = filters;
      if (filter.accountId !== undefined) await accountNamed(store.db, reach, filter.accountId);
      const since = clock.now() - days * DAY;
      const rows = await listPublishLog(store.db, reach, { ...filter, since }, { limit, from });
      const page = pageOf(
        rows,
        limit,
        ({ created_at, id }) => ({ at: created_at, id }),
        (last) => encodeCursor('publish_log', last, filters),
      );
      return listAnswer(page.rows.map(wirePublishLog), limit, page.next);
    },
  });
}
