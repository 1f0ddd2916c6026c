import type { TargetError } from '#db/schema/database.ts';
import { type AccountRow } from '#db/access/accounts.ts';
import { finishStep, listSteps } from '#db/posts/steps.ts';
import { postponeAccount } from '#db/posts/target-queue.ts';
import { patchLeased, type TargetRow } from '#db/posts/targets.ts';
import type { Store } from '#db/store/store.ts';
import type { CrashPoint } from '#call/ports.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Step } from '#platforms/posts.ts';
import { LEASE_MS, LeaseLost, type Lease } from '../../jobs/lease.ts';
import { failureLine, logTarget } from '../state/activity.ts';
import type { Attempt } from './attempt.ts';
import { conclude, type Conclusion } from './conclude.ts';
import { finalError, isUnsettled, type Failure } from './doubt.ts';
import { endFollowUp } from './follow-up.ts';
import type { Running } from './stepping.ts';

export type Waiting = Readonly<{
  waitMs: number;
  logged: boolean;
  error: TargetError;
  repeats: number;
  durationMs: number;
  /** The platform throttled the request, and would throttle any other request of the account too. */
  heldBack: boolean;
}>;

type EndingDeps = Readonly<{ store: Store; attempt: Pick<Attempt, 'forget'>; clock: Clock; crash: CrashPoint }>;

/** Stores how an attempt at a leased target ended; throws LeaseLost if another worker has the lease. */
export function makeEnding({ store, attempt, clock, crash }: EndingDeps) {
  /** Ends the follow-ups of a published target and records why they failed. */
  async function stopFollowing(target: TargetRow, lease: Lease, failure: Failure, profile: AccountRow | undefined) {
    const why = await lastWords(target, failure, profile);
    if (!(await store.write((tx) => endFollowUp(tx, target.id, lease.token, why)))) throw new LeaseLost();
    await attempt.forget(target);
  }

  async function lastWords({ id }: TargetRow, failure: Failure, profile: AccountRow | undefined): Promise<string> {
    return finalError(failure, { unsettled: isUnsettled(await listSteps(store.db, id)), profile }).message;
  }

  /** Fails the target, or skips an optional step that failed; true for the latter. */
  async function giveUp(work: Running, step: Step | undefined, failure: Failure, durationMs: number) {
    const { target, lease, account, progress } = work;
    if (!progress.isPublished) {
      await end(target, lease, { ...failure, skipped: false, durationMs });
      return false;
    }
    if (step === undefined) {
      await stopFollowing(target, lease, failure, account);
      return false;
    }
    const why = await lastWords(target, failure, account);
    const { name, kind } = step;
    const skipped = { name, kind, result: { refused: why }, sealed_result: null };
    await lease.held((db) => finishStep(db, target.id, skipped, clock.now()));
    return true;
  }

  async function wait(
    { target, post, lease, progress }: Running,
    { waitMs, logged, error, repeats, durationMs, heldBack }: Waiting,
  ): Promise<void> {
    const now = clock.now();
    const until = now + LEASE_MS;
    const kept = await store.write(async (tx) => {
      const patch = {
        repeats,
        error,
        ...(waitMs === 0
          ? { lease_until: until, due_at: until }
          : { lease_token: null, lease_until: 0, due_at: now + waitMs }),
      };
      if (!(await patchLeased(tx.db, target.id, lease.token, patch))) return false;
      const entry = { status: 'failed', durationMs, ...failureLine(error) } as const;
      if (logged && !progress.isPublished) await logTarget(tx, target, now, { action: target.action, ...entry });
      if (heldBack) {
        const from = target.scheduled_at ?? post.scheduled_at ?? post.created_at;
        await postponeAccount(tx.db, target.account_id, { from, until: now + waitMs });
      }
      if (!progress.isPublished) tx.signal('targets');
      else if (waitMs > 0) await tx.enqueue({ kind: 'follow_up_post', key: target.id, runAt: now + waitMs });
      return true;
    });
    if (!kept) throw new LeaseLost();
  }

  async function end(target: TargetRow, lease: Lease, conclusion: Conclusion): Promise<void> {
    const ended = await store.write((tx) => conclude(tx, target, lease.token, conclusion, clock.now()));
    if (!ended) throw new LeaseLost();
    crash('publish.concluded');
    if (!('followed' in conclusion && conclusion.followed)) await attempt.forget(target);
  }

  return Object.freeze({ end, giveUp, stopFollowing, wait });
}

export type Ending = ReturnType<typeof makeEnding>;
