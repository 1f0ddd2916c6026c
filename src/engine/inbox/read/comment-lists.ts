import type { AccountRow } from '#db/access/accounts.ts';
import { answeredComments } from '#db/inbox/answers.ts';
import type { CommentRow } from '#db/inbox/comments.ts';
import { listStoredComments } from '#db/inbox/lists.ts';
import { inboxPostId } from '#db/inbox/posts.ts';
import { NEVER } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Authority } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import { noSuch } from '#kernel/errors.ts';
import { atCursor, type Lists, type PageQuery, type Position } from '#kernel/pagination.ts';
import type { AccountCall } from '#platforms/call.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import type { Listed } from '#platforms/interactions.ts';
import { notSupported } from '#platforms/lookup.ts';
import type { PlatformComment } from '#platforms/inbox-types.ts';
import { markedComment } from '#platforms/shared/inbox/content.ts';
import { record } from '../record/record.ts';
import { type CommentLookup, type Served, postRefOf } from './comment-lookup.ts';
import { missing, type Lookup, type LocatedPost } from './lookup.ts';
import { presentComment } from './present-inbox.ts';

type CommentListDeps = Readonly<{
  store: Store;
  clock: Clock;
  lists: Lists;
  lookup: Lookup;
  commentLookup: CommentLookup;
}>;

export type CommentList = Readonly<{
  post_id: string;
  account_id?: string | undefined;
  /** Lists the replies to this comment; without it, the top-level comments. */
  comment_id?: string | undefined;
  since?: number | undefined;
  /** Filters that only some platforms support. */
  filters?: Readonly<Record<string, string | undefined>>;
}>;

/** Stores comments that a platform returned, without emitting events. */
export const learnComments = (
  { store, clock }: Pick<CommentListDeps, 'store' | 'clock'>,
  account: AccountRow,
  events: readonly InboundEvent[],
): Promise<boolean> => store.write((tx) => record(tx, account, events, { silent: true, now: clock.now() }));

export function makeCommentLists(deps: CommentListDeps) {
  const { store, lists, lookup } = deps;
  const { served, commentRefOf } = deps.commentLookup;

  /** A page of stored comments, for platforms that cannot list them; `parent` is the comment they reply to. */
  async function readStored(
    { account, post }: LocatedPost,
    { post_id, since }: CommentList,
    { limit, cursor }: Readonly<{ limit: number; cursor: string | undefined }>,
    parent: string | null = null,
  ): Promise<Listed<PlatformComment>> {
    if (!(await lookup.isKnownPost(account, post))) noSuch('post', post_id);
    const from = cursor === undefined ? undefined : (JSON.parse(cursor) as Position);
    const span = { post, parent, after: since, from };
    const rows = await listStoredComments(store.db, account.id, span, limit);
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    const next =
      rows.length > limit && last ? JSON.stringify({ at: last.created_at, id: last.platform_id }) : undefined;
    return { items: items.map(storedComment), cursor: next };
  }

  async function read(
    { account, comments, ...location }: Served,
    request: CommentList,
    page: Readonly<{ limit: number; cursor: string | undefined }>,
  ): Promise<Listed<PlatformComment>> {
    const { post_id, comment_id, since } = request;
    const where = postRefOf({ account, ...location });
    if (comment_id === undefined) {
      const filters = Object.fromEntries(
        Object.entries(request.filters ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      );
      const { list, order } = comments;
      if (list === undefined) return readStored({ account, ...location }, request, page);
      const live = (call: AccountCall) => list(call, where, { ...page, since, filters });
      const listed = await lookup.callPlatform(account, live, missing('post', post_id));
      // In this order, everything after an item that is too old is older still.
      const isOver = order === 'newest' && (listed.items.at(-1)?.created_at ?? NEVER) <= (since ?? -1);
      return isOver ? { items: listed.items } : listed;
    }
    const { replies } = comments;
    if (replies === undefined) {
      if (comments.list !== undefined) return notSupported(account.platform, 'comments.replies');
      const { comment } = await commentRefOf({ account, comments, ...location }, comment_id);
      return readStored({ account, ...location }, request, page, comment);
    }
    const ref = await commentRefOf({ account, comments, ...location }, comment_id);
    const presentError = missing('comment', comment_id);
    return lookup.callPlatform(account, (call) => replies(call, ref, { ...page, since }), presentError);
  }

  async function readPage(name: 'comments' | 'replies', authority: Authority, given: CommentList, query: PageQuery) {
    const { post_id, account_id, comment_id, since, filters: more } = given;
    return lists.live(query, {
      name,
      given: { post_id, account_id, comment_id, since, ...more },
      async read(filters, from) {
        const location = await lookup.postOf(authority, post_id, filters.account_id, comment_id);
        const where = served(location, comment_id === undefined ? 'comments.list' : 'comments.replies');
        const { moderation_status, order, q } = filters as Record<string, string | undefined>;
        const request = { post_id, comment_id, since: filters.since, filters: { moderation_status, order, q } };
        const listed = await read(where, request, { limit: query.limit, cursor: from?.id });
        const items = listed.items.filter(({ created_at }) => created_at > (filters.since ?? -1)).map(markedComment);
        return {
          items: await presentAll(where, items),
          next: atCursor(listed.cursor),
          found: { account_id: where.account.id },
          extra: { count: items.length },
        };
      },
    });
  }

  /** Presents comments in the API's format; stores those that came from the platform. */
  async function presentAll({ account, platform, post, comments }: Served, items: readonly PlatformComment[]) {
    if (comments.list !== undefined) {
      const events = items.map((comment) => ({ kind: 'comment', comment }) as const);
      await learnComments(deps, account, events);
    }
    const inboxPost = (await inboxPostId(store.db, account.id, post)) ?? post;
    const ids = items.map(({ platform_id }) => platform_id);
    const answered = await answeredComments(store.db, store.dialect, account.id, ids);
    const context = { account, platform, inboxPostId: inboxPost };
    return items.map((comment) => presentComment(comment, { ...context, answered: answered.has(comment.platform_id) }));
  }

  return Object.freeze({
    list: (authority: Authority, request: CommentList, page: PageQuery) =>
      readPage('comments', authority, request, page),
    replies: (authority: Authority, request: CommentList, page: PageQuery) =>
      readPage('replies', authority, request, page),
  });
}

export function storedComment(row: CommentRow): PlatformComment {
  const { page_id, parent_id, permalink, is_owner, is_hidden, is_liked, ...same } = row;
  return {
    ...same,
    page_id: page_id ?? undefined,
    parent_id: parent_id ?? undefined,
    permalink: permalink ?? undefined,
    is_owner: is_owner === 1,
    is_hidden: is_hidden === 1,
    is_liked: is_liked === 1,
  };
}
