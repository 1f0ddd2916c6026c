import type { AccountRow } from '#db/access/accounts.ts';
import { answeredComments } from '#db/inbox/answers.ts';
import { loadComment, patchComment, type CommentRow } from '#db/inbox/comments.ts';
import { listInboxPosts, listStoredComments, type PostOrder } from '#db/inbox/lists.ts';
import { inboxPostId } from '#db/inbox/posts.ts';
import type { Store } from '#db/store/store.ts';
import type { Authority } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { decodeCursor, encodeCursor, listAnswer, listPage, type PageQuery, type Position } from '#kernel/page.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { AccountCall } from '#platforms/call.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import type { Comments, Listed } from '#platforms/interactions.ts';
import { notSupported } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import type { PlatformComment } from '#platforms/records.ts';
import { markedComment } from '#platforms/shared/inbox/content.ts';
import { interactionId } from '../record/ids.ts';
import { record } from '../record/record.ts';
import type { Reader } from './conversations.ts';
import { missing, platformIdOf, type Lookup, type PostPlace } from './lookup.ts';
import { wireComment, wireInboxPost } from './wire.ts';

type CommentDeps = Readonly<{ store: Store; clock: Clock; lookup: Lookup }>;

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

/** A comment and where it is: as a caller names them. */
export type CommentRef = Readonly<{ post_id: string; comment_id: string; account_id?: string | undefined }>;

export type CommentList = Readonly<{
  post_id: string;
  account_id?: string | undefined;
  /** Answers to this comment; else the comments at the top level. */
  comment_id?: string | undefined;
  since?: number | undefined;
  /** What single platforms filter by. */
  filters?: Readonly<Record<string, string | undefined>>;
}>;

/** A place with the connector that serves it. */
export type Served = PostPlace & Readonly<{ platform: Platform; comments: Comments }>;

const NEVER = Number.MAX_SAFE_INTEGER;

/** Finds comments on their platform. */
function makeAccess(deps: CommentDeps) {
  const { lookup, store } = deps;

  /** The connector of a place; without comments at all the platform cannot do what was asked for either. */
  function served(place: PostPlace, capability: string): Served {
    return lookup.capabilityOf(place.account, capability, (platform) => {
      const { comments } = platform;
      return comments && { ...place, platform, comments };
    });
  }

  /**
   * A comment and the post it stands below. What we do not know to stand there has to do so on the platform: posts have
   * rights of their own, and what is said below a comment is stored below its post.
   */
  async function spotOf(where: Served, id: string): Promise<CommentSpot> {
    const { account, comments } = where;
    const spot = { ...at(where), comment: platformIdOf('comment', account.platform, id) };
    const known = await loadComment(store.db, account.id, spot.comment);
    if (known?.platform_post_id === spot.post) return spot;
    if (!lookup.canBeId(account, 'comment', spot.comment)) noSuchBelow(id);
    const shown = missing('resource.not_found', 'comment', id);
    const isOne =
      !(await lookup.isPost(account, spot.comment)) &&
      (await lookup.ask(account, (call) => comments.isComment(call, spot), shown));
    return isOne ? spot : noSuchBelow(id);
  }

  return Object.freeze({ served, spotOf });
}

/** Lists of comments, read live. */
function makeLists(
  deps: CommentDeps,
  spotOf: ReturnType<typeof makeAccess>['spotOf'],
  served: ReturnType<typeof makeAccess>['served'],
) {
  const { store, clock, lookup } = deps;

  const learn = (account: AccountRow, events: readonly InboundEvent[], silent: boolean): Promise<boolean> =>
    store.write((tx) => record(tx, account, events, { silent, now: clock.now() }));

  /** A page of what was pushed or polled, for a platform that lists nothing; `parent` is the comment answered. */
  async function readStored(
    { account, post }: PostPlace,
    { post_id, since }: CommentList,
    { limit, cursor }: Readonly<{ limit: number; cursor: string | undefined }>,
    parent: string | null = null,
  ): Promise<Listed<PlatformComment>> {
    if (!(await lookup.isKnownPost(account, post))) fail('post.not_found', { meta: { resource: 'post', id: post_id } });
    const from = cursor === undefined ? undefined : (JSON.parse(cursor) as Position);
    const span = { post, parent, after: since, from };
    const rows = await listStoredComments(store.db, account.id, span, limit);
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    const next =
      rows.length > limit && last ? JSON.stringify({ at: last.created_at, id: last.platform_id }) : undefined;
    return { items: items.map(storedComment), cursor: next };
  }

  /** One page of comments: asked of the platform where it lists them. */
  async function read(
    { account, comments, ...place }: Served,
    ask: CommentList,
    page: Readonly<{ limit: number; cursor: string | undefined }>,
  ): Promise<Listed<PlatformComment>> {
    const { post_id, comment_id, since } = ask;
    const where = at({ account, ...place });
    if (comment_id === undefined) {
      const filters = Object.fromEntries(
        Object.entries(ask.filters ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      );
      const { list, order } = comments;
      if (list === undefined) return readStored({ account, ...place }, ask, page);
      const live = (call: AccountCall) => list(call, where, { ...page, since, filters });
      const listed = await lookup.ask(account, live, missing('post.not_found', 'post', post_id));
      // Behind one that is too old there are only older ones.
      const isOver = order === 'newest' && (listed.items.at(-1)?.created_at ?? NEVER) <= (since ?? -1);
      return isOver ? { items: listed.items } : listed;
    }
    const { replies } = comments;
    if (replies === undefined) {
      if (comments.list !== undefined) return notSupported(account.platform, 'comments.replies');
      const { comment } = await spotOf({ account, comments, ...place }, comment_id);
      return readStored({ account, ...place }, ask, page, comment);
    }
    const spot = await spotOf({ account, comments, ...place }, comment_id);
    const shown = missing('resource.not_found', 'comment', comment_id);
    return lookup.ask(account, (call) => replies(call, spot, { ...page, since }), shown);
  }

  /** A page of comments; the platform's own cursor travels inside ours. */
  async function listLive(name: string, authority: Authority, given: CommentList, { limit, cursor }: PageQuery) {
    const { post_id, account_id, comment_id, since, filters: more } = given;
    const { filters, from } = decodeCursor(name, cursor, { post_id, account_id, comment_id, since, ...more });
    const place = await lookup.postOf(authority, post_id, filters.account_id, comment_id);
    const where = served(place, comment_id === undefined ? 'comments.list' : 'comments.replies');
    const { moderation_status, order, q } = filters as Record<string, string | undefined>;
    const ask = { post_id, comment_id, since: filters.since, filters: { moderation_status, order, q } };
    const listed = await read(where, ask, { limit, cursor: from?.id });
    const items = listed.items.filter(({ created_at }) => created_at > (filters.since ?? -1)).map(markedComment);
    const { account, platform } = where;
    if (where.comments.list !== undefined) {
      await learn(
        account,
        items.map((comment) => ({ kind: 'comment', comment })),
        true,
      );
    }
    const id = (await inboxPostId(store.db, account.id, where.post)) ?? where.post;
    const ids = items.map(({ platform_id }) => platform_id);
    const answered = await answeredComments(store.db, store.dialect, account.id, ids);
    const data = items.map((comment) =>
      wireComment(comment, { account, platform, inboxPostId: id, answered: answered.has(comment.platform_id) }),
    );
    const sealed = { ...filters, account_id: account.id };
    const next = listed.cursor === undefined ? '' : encodeCursor(name, { at: 0, id: listed.cursor }, sealed);
    return { count: data.length, ...listAnswer(data, limit, next) };
  }

  return Object.freeze({ learn, listLive });
}

/** Comments on posts: read live from the platform, kept in step in the store, and moderated there. */
export function makeComments(deps: CommentDeps) {
  const { store, lookup } = deps;

  const { served, spotOf } = makeAccess(deps);

  const { learn, listLive } = makeLists(deps, spotOf, served);

  /** Acts on a comment; what is gone already is as it should be. */
  async function act(
    authority: Authority,
    { post_id, comment_id, account_id }: CommentRef,
    capability: string,
    on: (comments: Comments) => ((call: AccountCall, place: CommentSpot) => Promise<void>) | undefined,
  ): Promise<Readonly<{ account: AccountRow; comment: string; id: string }>> {
    const where = served(await lookup.postOf(authority, post_id, account_id, comment_id), capability);
    const { account } = where;
    const run = on(where.comments);
    if (run === undefined) return notSupported(account.platform, capability);
    const spot = await spotOf(where, comment_id);
    await lookup.ask(account, (call) => run(call, spot), missing('resource.not_found', 'comment', comment_id));
    const { comment } = spot;
    return { account, comment, id: interactionId('comment', account.platform, comment) };
  }

  const done = (id: string) => ({ success: true, ok: true, id });

  return Object.freeze({
    served,
    spotOf,

    posts: ({ authority, userId }: Reader, given: InboxPostFilter, query: PageQuery) =>
      listPage(query, {
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
        show: (rows) => rows.map((row) => wireInboxPost(row, userId)),
      }),

    list: (authority: Authority, ask: CommentList, page: PageQuery) => listLive('comments', authority, ask, page),
    replies: (authority: Authority, ask: CommentList, page: PageQuery) => listLive('replies', authority, ask, page),

    async remove(authority: Authority, ref: CommentRef) {
      const { account, comment, id } = await act(authority, ref, 'comments.remove', ({ remove }) => remove);
      // What we never stored needs no mark that it is gone.
      const known = await loadComment(store.db, account.id, comment);
      if (known !== undefined) await learn(account, [{ kind: 'comment_gone', platform_id: comment }], true);
      return done(id);
    },

    async hide(authority: Authority, ref: CommentRef, hidden: boolean) {
      const { account, comment, id } = await act(
        authority,
        ref,
        'comments.hide',
        ({ hide }) => hide && ((call, spot) => hide(call, spot, hidden)),
      );
      await learn(account, [{ kind: 'comment_hidden', platform_id: comment, hidden }], true);
      return done(id);
    },

    async like(authority: Authority, ref: CommentRef, liked: boolean) {
      const { account, comment, id } = await act(
        authority,
        ref,
        'comments.like',
        ({ like }) => like && ((call, spot) => like(call, spot, liked)),
      );
      const key = { account_id: account.id, platform_id: comment };
      await store.write((tx) => patchComment(tx.db, key, { is_liked: liked ? 1 : 0 }));
      return done(id);
    },
  });
}

function storedComment(row: CommentRow): PlatformComment {
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

function noSuchBelow(id: string): never {
  const message = 'There is no such comment below this post.';
  const next = 'Name both as list_post_comments does.';
  return fail('resource.not_found', { message, next, meta: { resource: 'comment', id } });
}

const at = ({ post, page }: PostPlace) => ({ post, page: page?.platform_page_id });

type CommentSpot = Readonly<{ post: string; page?: string | undefined; comment: string }>;

export type CommentReads = ReturnType<typeof makeComments>;
