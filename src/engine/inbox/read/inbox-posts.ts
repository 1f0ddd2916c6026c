import { ownerIdOf } from '#db/access/users.ts';
import { listInboxPosts, type PostOrder } from '#db/inbox/lists.ts';
import type { Store } from '#db/store/store.ts';
import type { Authority } from '#kernel/authority.ts';
import type { Lists, PageQuery } from '#kernel/pagination.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Lookup } from './lookup.ts';
import { presentInboxPost } from './present-inbox.ts';

export type InboxPostFilter = {
  account_id?: string | undefined;
  brand_id?: string | undefined;
  page_id?: string | undefined;
  platform?: PlatformSlug | undefined;
  min_comments?: number | undefined;
  since?: number | undefined;
  sort_by?: 'date' | 'comments' | undefined;
  sort_order?: 'asc' | 'desc' | undefined;
};

const sortColumn = ({ sort_by }: InboxPostFilter): PostOrder['by'] =>
  sort_by === 'comments' ? 'comment_count' : 'published_at';

type InboxPostDeps = Readonly<{ store: Store; lists: Lists; lookup: Lookup }>;

export const makeInboxPosts = ({ store, lists, lookup }: InboxPostDeps) =>
  Object.freeze({
    posts: (authority: Authority, given: InboxPostFilter, query: PageQuery) =>
      lists.page(query, {
        name: 'inbox_posts',
        given,
        async read(filters, span) {
          await lookup.checkFilter(authority, filters);
          const { account_id: accountId, brand_id: brandId, page_id: pageId, platform, since } = filters;
          const filter = { accountId, brandId, pageId, platform, minComments: filters.min_comments ?? 0, since };
          const order = { by: sortColumn(filters), ascending: filters.sort_order === 'asc' };
          return listInboxPosts(store.db, authority, filter, { ...span, ...order });
        },
        position: (row, filters) => ({ at: row[sortColumn(filters)], id: row.id }),
        async show(rows) {
          const ownerId = await ownerIdOf(store.db, authority);
          return rows.map((row) => presentInboxPost(row, ownerId));
        },
      }),
  });
