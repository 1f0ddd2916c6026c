import type { PageSpan, Position } from '#kernel/pagination.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { CommentRow } from './comments.ts';
import type { ConversationRow } from './conversations.ts';
import type { InboxPostRow } from './posts.ts';
import type { MentionRow } from './mentions.ts';
import type { MessageRow } from './messages.ts';
import type { AccountStatus } from '../schema/access.ts';
import type { ConversationStatus, SyncState } from '../schema/database.ts';
import { beyond } from '../store/keyset.ts';
import type { Db } from '../store/tx.ts';
import type { Authority } from '#kernel/authority.ts';

export type AccountFilter = Readonly<{
  accountId?: string | undefined;
  brandId?: string | undefined;
  platform?: PlatformSlug | undefined;
}>;

export type OnPlatform = Readonly<{ platform: PlatformSlug; own_page_id: string | null }>;

/** A conversation with the fields of its account that say who can answer it. */
export type ListedConversation = ConversationRow &
  OnPlatform &
  Readonly<{ kind: string | null; account_status: AccountStatus }>;

/** `awaitingReply` is true for conversations where the person wrote last, false where the account did. */
type ConversationFilter = {
  pageId?: string | undefined;
  status: ConversationStatus;
  awaitingReply?: boolean | undefined;
};

/** A page of visible conversations, the last changed first, plus one if there are more. */
export function listConversations(
  db: Db,
  authority: Authority,
  filter: AccountFilter & ConversationFilter,
  { limit, from }: PageSpan,
): Promise<ListedConversation[]> {
  let query = conversationsIn(db, authority).where('conversations.status', '=', filter.status);
  const { accountId, brandId, platform, pageId, awaitingReply } = filter;
  if (awaitingReply !== undefined) {
    query = query.where('conversations.last_message_direction', '=', awaitingReply ? 'incoming' : 'outgoing');
  }
  if (accountId !== undefined) query = query.where('conversations.account_id', '=', accountId);
  if (brandId !== undefined) query = query.where('accounts.brand_id', '=', brandId);
  if (platform !== undefined) query = query.where('accounts.platform', '=', platform);
  if (pageId !== undefined) {
    query = query.where(({ eb, or }) => or([eb('conversations.page_id', '=', pageId), eb('pages.id', '=', pageId)]));
  }
  if (from) {
    query = query.where(beyond(['conversations.last_message_at', 'conversations.id'], '<', from));
  }
  return query
    .orderBy('conversations.last_message_at', 'desc')
    .orderBy('conversations.id', 'desc')
    .limit(limit + 1)
    .execute();
}

export function findConversation(db: Db, authority: Authority, id: string): Promise<ListedConversation | undefined> {
  return conversationsIn(db, authority).where('conversations.id', '=', id).executeTakeFirst();
}

export function findMergedConversation(
  db: Db,
  authority: Authority,
  id: string,
): Promise<ListedConversation | undefined> {
  return conversationsIn(db, authority)
    .innerJoin('aliases', (join) =>
      join
        .onRef('aliases.account_id', '=', 'conversations.account_id')
        .onRef('aliases.platform_id', '=', 'conversations.platform_id'),
    )
    .where('aliases.workspace_id', '=', authority.workspace)
    .where('aliases.alias', '=', id)
    .where('aliases.thing', '=', 'conversation')
    .executeTakeFirst();
}

function conversationsIn(db: Db, { workspace, brands }: Authority) {
  const query = db
    .selectFrom('conversations')
    .innerJoin('accounts', 'accounts.id', 'conversations.account_id')
    .leftJoin('pages', (join) =>
      join
        .onRef('pages.account_id', '=', 'conversations.account_id')
        .onRef('pages.platform_page_id', '=', 'conversations.page_id'),
    )
    .selectAll('conversations')
    .select(['accounts.platform', 'accounts.kind', 'accounts.status as account_status', 'pages.id as own_page_id'])
    .where('conversations.workspace_id', '=', workspace);
  return brands ? query.where('accounts.brand_id', 'in', brands) : query;
}

/** How far visible inboxes have been read, including those that never were. */
export function listSyncStates(
  db: Db,
  { workspace, brands }: Authority,
  { accountId, brandId, platform }: AccountFilter,
): Promise<
  { platform: PlatformSlug; kind: string | null; sync_state: SyncState | null; last_synced_at: number | null }[]
> {
  let query = db
    .selectFrom('accounts')
    .leftJoin('inbox_accounts', 'inbox_accounts.account_id', 'accounts.id')
    .select(['accounts.platform', 'accounts.kind', 'inbox_accounts.sync_state', 'inbox_accounts.last_synced_at'])
    .where('accounts.workspace_id', '=', workspace);
  if (brands) query = query.where('accounts.brand_id', 'in', brands);
  if (accountId !== undefined) query = query.where('accounts.id', '=', accountId);
  if (brandId !== undefined) query = query.where('accounts.brand_id', '=', brandId);
  if (platform !== undefined) query = query.where('accounts.platform', '=', platform);
  return query.execute();
}

/** Newest first, without deleted messages. */
export function listMessages(db: Db, conversationId: string, { limit, from }: PageSpan): Promise<MessageRow[]> {
  let query = db
    .selectFrom('messages')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .where('gone_at', 'is', null);
  if (from) query = query.where(beyond(['created_at', 'platform_id'], '<', from));
  return query
    .orderBy('created_at', 'desc')
    .orderBy('platform_id', 'desc')
    .limit(limit + 1)
    .execute();
}

export type PostOrder = Readonly<{ by: 'published_at' | 'comment_count'; ascending: boolean }>;

/** A page of visible posts that may have comments, plus one if there are more. */
export function listInboxPosts(
  db: Db,
  authority: Authority,
  filter: AccountFilter & Readonly<{ pageId?: string | undefined; minComments: number; since?: number | undefined }>,
  { limit, from, by, ascending }: PageSpan & PostOrder,
): Promise<(InboxPostRow & OnPlatform)[]> {
  let query = postsIn(db, authority);
  const { accountId, brandId, platform, pageId, minComments, since } = filter;
  if (accountId !== undefined) query = query.where('inbox_posts.account_id', '=', accountId);
  if (brandId !== undefined) query = query.where('accounts.brand_id', '=', brandId);
  if (platform !== undefined) query = query.where('accounts.platform', '=', platform);
  if (pageId !== undefined) {
    query = query.where(({ eb, or }) => or([eb('inbox_posts.page_id', '=', pageId), eb('pages.id', '=', pageId)]));
  }
  if (minComments > 0) query = query.where('inbox_posts.comment_count', '>=', minComments);
  if (since !== undefined) query = query.where('inbox_posts.published_at', '>', since);
  const column = `inbox_posts.${by}` as const;
  if (from) {
    query = query.where(beyond([column, 'inbox_posts.id'], ascending ? '>' : '<', from));
  }
  const direction = ascending ? 'asc' : 'desc';
  return query
    .orderBy(column, direction)
    .orderBy('inbox_posts.id', direction)
    .limit(limit + 1)
    .execute();
}

export function findInboxPost(
  db: Db,
  authority: Authority,
  id: string,
): Promise<(InboxPostRow & OnPlatform) | undefined> {
  return postsIn(db, authority).where('inbox_posts.id', '=', id).executeTakeFirst();
}

export function findInboxPosts(
  db: Db,
  authority: Authority,
  platformId: string,
): Promise<(InboxPostRow & OnPlatform)[]> {
  return postsIn(db, authority).where('inbox_posts.platform_id', '=', platformId).limit(100).execute();
}

function postsIn(db: Db, { workspace, brands }: Authority) {
  const query = db
    .selectFrom('inbox_posts')
    .innerJoin('accounts', 'accounts.id', 'inbox_posts.account_id')
    .leftJoin('pages', (join) =>
      join
        .onRef('pages.account_id', '=', 'inbox_posts.account_id')
        .onRef('pages.platform_page_id', '=', 'inbox_posts.page_id'),
    )
    .selectAll('inbox_posts')
    .select(['accounts.platform', 'pages.id as own_page_id'])
    .where('inbox_posts.workspace_id', '=', workspace);
  return brands ? query.where('accounts.brand_id', 'in', brands) : query;
}

/** Visible published posts, by our id or by the platform's. */
export function findPublications(
  db: Db,
  { workspace, brands }: Authority,
  post: Readonly<{ id: string }> | Readonly<{ platformId: string }>,
): Promise<{ account_id: string; platform_post_id: string | null; page_id: string | null }[]> {
  let query = db
    .selectFrom('targets')
    .innerJoin('posts', 'posts.id', 'targets.post_id')
    .innerJoin('accounts', 'accounts.id', 'targets.account_id')
    .select(['targets.account_id', 'targets.platform_post_id', 'targets.page_id'])
    .where('targets.workspace_id', '=', workspace)
    .where('targets.status', '=', 'published')
    .where('posts.deleted_at', 'is', null)
    .limit(100);
  query =
    'id' in post
      ? query.where('targets.post_id', '=', post.id)
      : query.where('targets.platform_post_id', '=', post.platformId);
  return (brands ? query.where('accounts.brand_id', 'in', brands) : query).execute();
}

/** Visible targets of a post that are being published, with the lease and the time of the next check. */
export function findPublishing(
  db: Db,
  { workspace, brands }: Authority,
  { id, accountId }: Readonly<{ id: string; accountId: string | undefined }>,
): Promise<{ lease_token: string | null; due_at: number }[]> {
  let query = db
    .selectFrom('targets')
    .innerJoin('posts', 'posts.id', 'targets.post_id')
    .select(['targets.lease_token', 'targets.due_at'])
    .where('targets.post_id', '=', id)
    .where('targets.workspace_id', '=', workspace)
    .where('targets.status', '=', 'publishing')
    .where('posts.deleted_at', 'is', null);
  if (accountId !== undefined) query = query.where('targets.account_id', '=', accountId);
  return (brands ? query.where('targets.brand_id', 'in', brands) : query).execute();
}

export async function reviewedAccounts(
  db: Db,
  { workspace, brands }: Authority,
  platformId: string,
): Promise<string[]> {
  let query = db
    .selectFrom('reviews')
    .innerJoin('accounts', 'accounts.id', 'reviews.account_id')
    .select('reviews.account_id')
    .where('reviews.workspace_id', '=', workspace)
    .where('reviews.platform_id', '=', platformId)
    .limit(100);
  if (brands) query = query.where('accounts.brand_id', 'in', brands);
  return (await query.execute()).map((row) => row.account_id);
}

/** Visible mentions of an account between two times and after a position in the list, newest first. */
export function listMentions(
  db: Db,
  accountId: string,
  span: Readonly<{ from: Position | undefined; after?: number | undefined; notBefore?: number | undefined }>,
  limit: number,
): Promise<MentionRow[]> {
  let query = db.selectFrom('mentions').selectAll().where('account_id', '=', accountId);
  const { from, after, notBefore } = span;
  if (after !== undefined) query = query.where('created_at', '>', after);
  if (notBefore !== undefined) query = query.where('created_at', '>=', notBefore);
  if (from) query = query.where(beyond(['created_at', 'platform_id'], '<', from));
  return query
    .orderBy('created_at', 'desc')
    .orderBy('platform_id', 'desc')
    .limit(limit + 1)
    .execute();
}

/** Stored comments of a post, oldest first: the top level, or the replies to one comment. Leaves out deleted ones. */
export function listStoredComments(
  db: Db,
  accountId: string,
  span: Readonly<{ post: string; parent: string | null; after: number | undefined; from: Position | undefined }>,
  limit: number,
): Promise<CommentRow[]> {
  const { post, parent, after, from } = span;
  let query = db
    .selectFrom('comments')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('platform_post_id', '=', post)
    .where('parent_id', parent === null ? 'is' : '=', parent)
    .where('gone_at', 'is', null);
  if (after !== undefined) query = query.where('created_at', '>', after);
  if (from) query = query.where(beyond(['created_at', 'platform_id'], '>', from));
  return query
    .orderBy('created_at')
    .orderBy('platform_id')
    .limit(limit + 1)
    .execute();
}
