import type { AccountRow } from '#db/access/accounts.ts';
import { loadComment, patchComment } from '#db/inbox/comments.ts';
import type { Store } from '#db/store/store.ts';
import type { Authority } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Lists } from '#kernel/pagination.ts';
import type { AccountCall } from '#platforms/call.ts';
import type { Comments } from '#platforms/interactions.ts';
import { notSupported } from '#platforms/lookup.ts';
import { interactionId } from '../record/ids.ts';
import { learnComments, makeCommentLists } from './comment-lists.ts';
import { type CommentLocation, makeCommentLookup } from './comment-lookup.ts';
import { makeInboxPosts } from './inbox-posts.ts';
import { missing, type Lookup } from './lookup.ts';

type CommentDeps = Readonly<{ store: Store; clock: Clock; lists: Lists; lookup: Lookup }>;

/** How a caller names a comment. */
export type CommentRef = Readonly<{ post_id: string; comment_id: string; account_id?: string | undefined }>;

/** Reads and moderates comments on the platform, and keeps the store up to date. */
export function makeComments(deps: CommentDeps) {
  const { store, lookup } = deps;
  const commentLookup = makeCommentLookup(deps);
  const { served, commentRefOf } = commentLookup;

  /** Runs an action on a comment, after checking that it belongs to the post. */
  async function act(
    authority: Authority,
    { post_id, comment_id, account_id }: CommentRef,
    capability: string,
    on: (comments: Comments) => ((call: AccountCall, location: CommentLocation) => Promise<void>) | undefined,
  ): Promise<Readonly<{ account: AccountRow; comment: string; id: string }>> {
    const where = served(await lookup.postOf(authority, post_id, account_id, comment_id), capability);
    const { account } = where;
    const run = on(where.comments);
    if (run === undefined) return notSupported(account.platform, capability);
    const ref = await commentRefOf(where, comment_id);
    await lookup.callPlatform(account, (call) => run(call, ref), missing('comment', comment_id));
    const { comment } = ref;
    return { account, comment, id: interactionId('comment', account.platform, comment) };
  }

  const done = (id: string) => ({ success: true, ok: true, id });

  return Object.freeze({
    ...commentLookup,
    ...makeInboxPosts(deps),
    ...makeCommentLists({ ...deps, commentLookup }),

    async remove(authority: Authority, ref: CommentRef) {
      const { account, comment, id } = await act(authority, ref, 'comments.remove', ({ remove }) => remove);
      // A comment that is not stored need not be marked as deleted.
      const known = await loadComment(store.db, account.id, comment);
      if (known !== undefined) await learnComments(deps, account, [{ kind: 'comment_gone', platform_id: comment }]);
      return done(id);
    },

    async hide(authority: Authority, ref: CommentRef, hidden: boolean) {
      const { account, comment, id } = await act(
        authority,
        ref,
        'comments.hide',
        ({ hide }) => hide && ((call, ref) => hide(call, ref, hidden)),
      );
      await learnComments(deps, account, [{ kind: 'comment_hidden', platform_id: comment, hidden }]);
      return done(id);
    },

    async like(authority: Authority, ref: CommentRef, liked: boolean) {
      const { account, comment, id } = await act(
        authority,
        ref,
        'comments.like',
        ({ like }) => like && ((call, ref) => like(call, ref, liked)),
      );
      const key = { account_id: account.id, platform_id: comment };
      await store.write((tx) => patchComment(tx.db, key, { is_liked: liked ? 1 : 0 }));
      return done(id);
    },
  });
}

export type CommentReads = ReturnType<typeof makeComments>;
