import { loadComment } from '#db/inbox/comments.ts';
import type { Store } from '#db/store/store.ts';
import { fail } from '#kernel/errors.ts';
import type { Comments } from '#platforms/interactions.ts';
import type { Platform } from '#platforms/platform.ts';
import { missing, platformIdOf, type Lookup, type LocatedPost } from './lookup.ts';

/** A post, with the platform's connector. */
export type Served = LocatedPost & Readonly<{ platform: Platform; comments: Comments }>;

export type CommentLocation = Readonly<{ post: string; page?: string | undefined; comment: string }>;

export const postRefOf = ({ post, page }: LocatedPost) => ({ post, page: page?.platform_page_id });

export function makeCommentLookup({ lookup, store }: Readonly<{ lookup: Lookup; store: Store }>) {
  return Object.freeze({
    /** Adds the connector to a post; refuses platforms without comments. */
    served(location: LocatedPost, capability: string): Served {
      return lookup.capabilityOf(location.account, capability, (platform) => {
        const { comments } = platform;
        return comments && { ...location, platform, comments };
      });
    },

    /** Checks that a comment belongs to this post, on the platform if it is not stored: access depends on the post. */
    async commentRefOf(where: Served, id: string): Promise<CommentLocation> {
      const { account, comments } = where;
      const ref = { ...postRefOf(where), comment: platformIdOf('comment', account.platform, id) };
      const known = await loadComment(store.db, account.id, ref.comment);
      if (known?.platform_post_id === ref.post) return ref;
      if (!lookup.canBeId(account, 'comment', ref.comment)) noSuchBelow(id);
      const presentError = missing('comment', id);
      const isOne =
        !(await lookup.isPost(account, ref.comment)) &&
        (await lookup.callPlatform(account, (call) => comments.isComment(call, ref), presentError));
      return isOne ? ref : noSuchBelow(id);
    },
  });
}

export type CommentLookup = ReturnType<typeof makeCommentLookup>;

function noSuchBelow(id: string): never {
  const message = 'There is no such comment below this post.';
  const next = 'Use both ids as list_post_comments shows them.';
  return fail('resource.not_found', { message, next, meta: { resource: 'comment', id } });
}
