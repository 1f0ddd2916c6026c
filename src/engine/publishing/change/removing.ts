import type { Store } from '#db/store/store.ts';
import { listTargets, type TargetRow } from '#db/posts/targets.ts';
import { loadPost } from '#db/posts/posts.ts';
import type { Clock } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { stateInvalid, type PostLookup, type Requester } from '../read/lookup.ts';
import { isPublic, MOVES } from '../state/machine.ts';
import {
  beginRemoval,
  beginTakedown,
  beginTargetRemoval,
  finishRemoval,
  leftBehind,
  recordTakedowns,
  type Begun,
} from './remove.ts';
import {
  isDown,
  refuseAllFailed,
  remainingOf,
  skipped,
  presentTakedown,
  type makeTakedown,
  type Takedown,
} from './takedown.ts';

type RemovingDeps = Readonly<{
  store: Store;
  clock: Clock;
  log: Log;
  lookup: PostLookup;
  takedowns: ReturnType<typeof makeTakedown>;
}>;

/** Who removes something, and for an approved call the versions of the posts that the person saw. */
type Remover = Pick<Requester, 'authority' | 'seen'>;

/** How long to retry taking down a deleted post. */
const RETRY_FOR_MS = 3_600_000;
const AGAIN_MS = 60_000;

export function makeRemoving({ store, clock, log, lookup, takedowns: { takeDown, foretell } }: RemovingDeps) {
  const takeAllDown = (targets: readonly TargetRow[]) => Promise.all(targets.map(takeDown));

  async function removeAll(postId: string, seen: Remover['seen']) {
    const begun = await store.write((tx) => beginRemoval(tx, { id: postId, seen }, clock.now()));
    if (!begun) return noSuch('post', postId);
    const takedowns = await takeAllDown(begun.rest);
    if (takedowns.length > 0) {
      await store.write((tx) => finishRemoval(tx, postId, takedowns, { now: clock.now(), patient: true }));
    }
    const post = begun.flying.length === 0 ? undefined : await loadPost(store.db, postId);
    const foretold = await Promise.all(begun.flying.map((target) => foretell(target, post)));
    return answerRemoval(postId, true, begun, [...takedowns, ...foretold]);
  }

  return Object.freeze({
    /** Deletes a post, or only its targets on one platform; returns the result for each target. */
    async remove({ authority, seen }: Remover, id: string, platform: PlatformSlug | undefined) {
      const { targets } = await lookup.owned(authority, id);
      if (platform === undefined) return removeAll(id, seen);
      if (!targets.some((target) => target.platform === platform)) {
        const message = `The post has no target on ${platform}.`;
        const next = 'Look at its targets with get_post.';
        fail('validation.field_invalid', { message, next, meta: { field: 'platform' } });
      }
      const isNamed = (target: { platform: PlatformSlug }) => target.platform === platform;
      const begun = await store.write((tx) => beginTargetRemoval(tx, { id, seen }, isNamed, clock.now()));
      if (begun === 'all') return removeAll(id, seen);
      if (!begun) return noSuch('post', id);
      const takedowns = await takeAllDown(begun.rest);
      await store.write((tx) => recordTakedowns(tx, id, takedowns, clock.now()));
      return answerRemoval(id, false, begun, takedowns);
    },

    /** Takes published targets down; the post stays as long as it has targets. */
    async unpublish({ authority, seen }: Remover, id: string, accountIds: readonly string[] | undefined) {
      const { post, targets } = await lookup.owned(authority, id);
      const isPartly = post.status === 'failed' && targets.some(isPublic);
      if (!MOVES.unpublish.includes(post.status) && !isPartly) {
        stateInvalid(post, `A ${post.status} post has nothing to unpublish.`);
      }
      const unknown = accountIds?.find((account) => !targets.some(({ account_id }) => account_id === account));
      if (unknown !== undefined) {
        const message = `The post has no target of account ${unknown}.`;
        const next = 'Look at its targets with get_post.';
        fail('account.not_found', { message, next, meta: { resource: 'account', id: unknown } });
      }
      const chosen = targets.filter((target) => isPublic(target) && (accountIds?.includes(target.account_id) ?? true));
      if (chosen.length === 0) stateInvalid(post, 'None of this is published.');
      const isThere = await store.write((tx) => beginTakedown(tx, { id, seen }, chosen, clock.now()));
      if (!isThere) return noSuch('post', id);
      const takedowns = await takeAllDown(chosen);
      const count = takedowns.filter(isDown).length;
      const results = takedowns.map(presentTakedown);
      const done = { success: true, ok: true, id, unpublished_count: count, results };
      await store.write(async (tx) => {
        await recordTakedowns(tx, id, takedowns, clock.now());
        if (count > 0) await tx.key?.record(done);
      });
      refuseAllFailed(takedowns);
      return done;
    },

    /** The job `take_down`: takes down what is still public of a deleted post. */
    async takeDownDeleted(postId: string): Promise<void | { again: number }> {
      const post = await loadPost(store.db, postId);
      if (!post || post.deleted_at === null) return undefined;
      const takedowns = await takeAllDown(leftBehind(await listTargets(store.db, [postId])));
      const now = clock.now();
      const patient = now - post.deleted_at < RETRY_FOR_MS;
      const over = await store.write((tx) => finishRemoval(tx, postId, takedowns, { now, patient }));
      const failed = takedowns.filter(({ outcome }) => outcome === 'failed');
      if (over && failed.length > 0) {
        log.warn({ post_id: postId, targets: failed.length }, 'a deleted post is still public');
      }
      return over ? undefined : { again: AGAIN_MS };
    },
  });
}

function answerRemoval(id: string, deleted: boolean, begun: Begun, takedowns: readonly Takedown[]) {
  const all = [...takedowns, ...begun.cancelled.map(skipped)];
  return { success: true, ok: true, id, deleted, results: all.map(presentTakedown), remaining: remainingOf(all) };
}
