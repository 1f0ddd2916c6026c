import { findPost, findPosts, findPostsByPlatformId, versionOf, type PostRow } from '#db/posts/posts.ts';
import type { Store } from '#db/store/store.ts';
import { listTargets, visibleTargets, type TargetRow } from '#db/posts/targets.ts';
import type { Db } from '#db/store/tx.ts';
import type { Call } from '#call/context.ts';
import type { Authority, Workspace } from '#kernel/authority.ts';
import { isoTime } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { presentPost, type WirePost } from './present-post.ts';

/** Who requests a change, and the workspace that pays; for an approved call also the versions that the person saw. */
export type Requester = Readonly<{ authority: Authority; workspace: Workspace }> & Pick<Call, 'seen'>;

export type Owned = Readonly<{ post: PostRow; targets: readonly TargetRow[] }>;

/** How often a transition is retried after a concurrent change. */
const TRIES = 5;

/** A restricted key sees a post if it may see one of its targets, and may change it if it may see all of them. */
export function makeLookup(store: Store) {
  async function postOf(authority: Authority, id: string, db: Db = store.db): Promise<PostRow> {
    return (await findPost(db, authority, id)) ?? noSuch('post', id);
  }

  return Object.freeze({
    postOf,

    async anyPost(authority: Authority, id: string): Promise<PostRow> {
      const own = await findPost(store.db, authority, id);
      if (own) return own;
      const [first, second] = await findPostsByPlatformId(store.db, authority, id);
      if (second) {
        const message = 'Several posts have this platform post id.';
        const next = 'Use the id from list_posts instead.';
        fail('resource.conflict', { message, next, meta: { resource: 'post', id } });
      }
      return first ?? noSuch('post', id);
    },

    /** A post with its targets, for a transition. */
    async owned(authority: Authority, id: string): Promise<Owned> {
      const post = await postOf(authority, id);
      const targets = await listTargets(store.db, [id]);
      const { brands } = authority;
      if (brands && targets.some(({ brand_id }) => !brands.includes(brand_id))) {
        const message = 'This post also goes to brands that you may not use.';
        fail('auth.insufficient_scope', { message });
      }
      return { post, targets };
    },

    async answer(authority: Authority, id: string, db: Db = store.db): Promise<WirePost> {
      return presentPost(await postOf(authority, id, db), await visibleTargets(db, authority, [id]));
    },

    /** Returns posts in the order of the given ids, without deleted ones. */
    async answers(authority: Authority, ids: readonly string[]): Promise<readonly WirePost[]> {
      const rows = await findPosts(store.db, authority, ids);
      const targets = Map.groupBy(await visibleTargets(store.db, authority, ids), ({ post_id }) => post_id);
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.flatMap((id) => {
        const row = byId.get(id);
        return row ? [presentPost(row, targets.get(id) ?? [])] : [];
      });
    },

    /** Retries a transition if the post changed between reading and writing: docs/contract/states.md#races */
    async contested<T>(id: string, move: () => Promise<T | undefined>): Promise<T> {
      for (let left = TRIES; left > 0; left -= 1) {
        const done = await move();
        if (done !== undefined) return done;
      }
      const message = 'The post is being changed by others.';
      return fail('post.state_invalid', { message, next: 'Try again in a moment.', meta: { id } });
    },
  });
}

export type PostLookup = ReturnType<typeof makeLookup>;

export function refuseChanged({ id, updated_at }: PostRow, expected: number | undefined): void {
  if (expected === undefined || expected === updated_at) return;
  fail('resource.conflict', {
    message: 'The post has changed since you read it.',
    next: 'Read it again with get_post, then change it.',
    meta: { resource: 'post', id, updated_at: isoTime(updated_at) },
  });
}

/** Refuses a change if the post is no longer what the person saw when they agreed. */
export function refuseUnseen(post: PostRow, seen: Call['seen']): void {
  const version = seen?.get(post.id);
  if (version === undefined || version === versionOf(post)) return;
  fail('resource.conflict', {
    message: 'The post has changed since a person approved this.',
    next: 'Ask again.',
    meta: { resource: 'post', id: post.id },
  });
}

/** Refuses a transition that the post's state does not allow. */
export function stateInvalid(post: PostRow, message: string, next?: string): never {
  fail('post.state_invalid', { message, next, meta: { id: post.id, status: post.status } });
}
