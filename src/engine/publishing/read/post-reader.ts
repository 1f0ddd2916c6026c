import { accountNamed, findAccounts, noAccount } from '#db/access/accounts.ts';
import { findBrand } from '#db/access/brands.ts';
import { listPublishLog, type PublishLogFilter } from '#db/posts/logs.ts';
import { listPosts, ownPost, type PostFilter, type PostRow, type PostSort } from '#db/posts/posts.ts';
import type { Store } from '#db/store/store.ts';
import { targetsOf, visibleTargets } from '#db/posts/targets.ts';
import type { Db } from '#db/store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import { DAY, type Clock } from '#kernel/clock.ts';
import { noSuch } from '#kernel/errors.ts';
import { byCreation, type Lists, type PageQuery } from '#kernel/pagination.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { PostLookup } from './lookup.ts';
import { presentPost, presentPublishLog, type WirePost } from './present-post.ts';

const LOG_DAYS = 7;

type PostGiven = Readonly<{
  account_ids?: readonly string[] | undefined;
  brand_id?: string | undefined;
  status?: readonly PostRow['status'][] | undefined;
  platform?: PlatformSlug | undefined;
  page_id?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
  media_id?: string | undefined;
  search?: string | undefined;
  sort?: PostSort | undefined;
  hidden?: boolean | undefined;
}>;
export type PostQuery = PageQuery & Readonly<{ filter: PostGiven }>;
export type LogQuery = PageQuery &
  Readonly<{ filter: Omit<PublishLogFilter, 'since'> & Readonly<{ days?: number | undefined }> }>;

/** Refuses filters by accounts or brands that the caller cannot see. */
export async function refuseUnknown(
  db: Db,
  authority: Authority,
  accountIds: readonly string[] | undefined,
  brandId: string | undefined,
): Promise<void> {
  if (accountIds) {
    const known = new Set((await findAccounts(db, authority, accountIds)).map(({ id }) => id));
    const id = accountIds.find((account) => !known.has(account));
    if (id !== undefined) noAccount(id);
  }
  if (brandId !== undefined && !(await findBrand(db, authority, brandId))) noSuch('brand', brandId);
}

export function makePostReader({
  store,
  clock,
  lists,
  lookup,
}: Readonly<{ store: Store; clock: Clock; lists: Lists; lookup: PostLookup }>) {
  const findOwn = store.prepared(ownPost);
  const findTargets = store.preparedAll(targetsOf);

  return Object.freeze({
    list: (authority: Authority, { filter: given, ...query }: PostQuery) =>
      lists.page(query, {
        name: 'posts',
        given,
        async read({ sort = 'scheduled_asc', hidden = false, ...named }, span) {
          const { account_ids, brand_id, status, page_id, media_id, ...plain } = named;
          await refuseUnknown(store.db, authority, account_ids, brand_id);
          const filter: PostFilter = {
            ...plain,
            accountIds: account_ids,
            brandId: brand_id,
            statuses: status,
            pageId: page_id,
            mediaId: media_id,
            hidden,
          };
          return listPosts(store.db, authority, filter, { sort, ...span });
        },
        position: ({ sort_at, created_at, id }, { sort = 'scheduled_asc' }) => {
          return { at: sort.startsWith('scheduled') ? sort_at : created_at, id };
        },
        async show(rows) {
          const ids = rows.map(({ id }) => id);
          const targets = Map.groupBy(await visibleTargets(store.db, authority, ids), ({ post_id }) => post_id);
          return rows.map((row) => presentPost(row, targets.get(row.id) ?? []));
        },
      }),

    async get(authority: Authority, id: string): Promise<WirePost> {
      // This is by far the most frequent read, so its queries are prepared.
      const own = authority.brands ? undefined : await findOwn({ workspace: authority.workspace, id });
      const post = own ?? (await lookup.anyPost(authority, id));
      const targets = authority.brands
        ? await visibleTargets(store.db, authority, [post.id])
        : await findTargets({ postId: post.id });
      return presentPost(post, targets);
    },

    /** The publishing log of the last `days`, counted as 24 hours each. */
    logs: (authority: Authority, { filter: given, ...query }: LogQuery) =>
      lists.page(query, {
        name: 'publish_log',
        given,
        async read({ days = LOG_DAYS, ...filter }, span) {
          if (filter.accountId !== undefined) await accountNamed(store.db, authority, filter.accountId);
          return listPublishLog(store.db, authority, { ...filter, since: clock.now() - days * DAY }, span);
        },
        position: byCreation,
        show: (rows) => rows.map(presentPublishLog),
      }),
  });
}
