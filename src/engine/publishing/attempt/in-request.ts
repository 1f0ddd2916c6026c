import type { Store } from '#db/store/store.ts';
import { listTargets, type TargetRow } from '#db/posts/targets.ts';
import type { Progress } from '#call/context.ts';
import type { Authority } from '#kernel/authority.ts';
import { sleep, within, type Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import type { PostLookup } from '../read/lookup.ts';
import type { WirePost } from '../read/present-post.ts';
import { nextAttemptOf } from '../read/waiting.ts';
import type { Worker } from './worker.ts';

/** How often to check a post that another request is publishing. */
const LOOK_MS = 250;

type InRequestDeps = Readonly<{
  store: Store;
  clock: Clock;
  lookup: PostLookup;
  runTarget(id: string, token: string): Promise<void>;
  worker: Worker;
  waitMs: number;
}>;

/** Whether a target may finish by `until`: it is running, or its next attempt is due before then. */
const mayEnd = (target: TargetRow, until: number) =>
  target.status === 'publishing' && (nextAttemptOf(target) ?? 0) < until;

/** Publishes within a request, which waits for the result for at most `waitMs`. */
export function makeInRequest({ store, clock, lookup, runTarget, worker, waitMs }: InRequestDeps) {
  /** A fully failed post is an error with the post inside: docs/contract/errors.md#codes-inside-results. */
  async function answerPublished(authority: Authority, id: string): Promise<WirePost> {
    const post = await lookup.answer(authority, id);
    if (post.status === 'failed') fail('post.publish_failed', { meta: { id }, members: post });
    return post;
  }

  return Object.freeze({
    answerPublished,

    /** Runs the targets leased by `token`; those not finished within the wait continue by themselves. */
    async run(id: string, token: string, progress: Progress): Promise<void> {
      const targets = (await listTargets(store.db, [id])).filter(({ lease_token }) => lease_token === token);
      let ended = 0;
      const runs = targets.map(async ({ id: target, platform }) => {
        await runTarget(target, token);
        progress((ended += 1), targets.length, `${platform} has answered`);
      });
      for (const run of runs) worker.track(run);
      await within(clock, waitMs, Promise.all(runs));
    },

    /** Waits for a post that another request is publishing, as long as that request would have waited. */
    async outcome(authority: Authority, id: string): Promise<WirePost> {
      for (const until = clock.now() + waitMs; clock.now() < until;) {
        if ((await lookup.answer(authority, id)).status !== 'publishing') break;
        if (!(await listTargets(store.db, [id])).some((target) => mayEnd(target, until))) break;
        await sleep(clock, LOOK_MS);
      }
      return answerPublished(authority, id);
    },
  });
}

export type InRequest = ReturnType<typeof makeInRequest>;
