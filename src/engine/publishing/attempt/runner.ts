import { type AccountRow, loadAccount } from '#db/access/accounts.ts';
import { loadPost } from '#db/posts/posts.ts';
import type { Store } from '#db/store/store.ts';
import { clearSent, listSteps } from '#db/posts/steps.ts';
import { type TargetRow, holdLeased, loadTarget, patchLeased } from '#db/posts/targets.ts';
import type { CrashPoint, Sessions } from '#call/ports.ts';
import type { Clock } from '#kernel/clock.ts';
import { ApiError, type ErrorCode, StoreUnavailable } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import type { Span, Trace } from '#kernel/metrics/trace.ts';
import { PlatformError } from '#platforms/errors.ts';
import { platformFor, type Platforms } from '#platforms/lookup.ts';
import { keepLease, LeaseLost, UNFLUSHED, type Lease } from '../../jobs/lease.ts';
import { ownFailure } from '../state/target-error.ts';
import { type Attempt } from './attempt.ts';
import { attemptFailureOf, type AttemptFailure } from './failures.ts';
import { afterFailure, countFailure, tallyAt } from './retry-policy.ts';
import { makeEnding } from './ending.ts';
import { makeProgress } from './progress.ts';
import type { StepValues } from './step-values.ts';
import type { Running, TryState } from './stepping.ts';
import type { Claimed } from './worker.ts';

export type RunnerDeps = Readonly<{
  store: Store;
  sessions: Pick<Sessions, 'hosts'>;
  attempt: Attempt;
  values: StepValues;
  platforms: Platforms;
  clock: Clock;
  log: Log;
  trace?: Trace | undefined;
  crash: CrashPoint;
}>;

type RunOptions = Readonly<{ span?: Span | undefined; claimed?: Claimed | undefined }>;

/** Publishes one leased target step by step until it ends or must wait: docs/contract/publishing.md#steps. */
export function makeRunner({ store, sessions, attempt, values, platforms, clock, log, trace, crash }: RunnerDeps) {
  const ending = makeEnding({ store, attempt, clock, crash });
  const goThrough = makeProgress({ store, sessions, attempt, values, clock, trace, crash, ending });
  const { end, giveUp, stopFollowing, wait } = ending;

  /** Returns when the target is final, waits for a later attempt, or has lost its lease. */
  return async function runTarget(id: string, token: string, { span, claimed }: RunOptions = {}): Promise<void> {
    let lease: Lease | undefined;
    try {
      const target = claimed?.target ?? (await loadTarget(store.db, id));
      if (target?.lease_token !== token) return;
      lease = keepLease(
        { store, clock, log },
        {
          token,
          until: target.lease_until,
          isHeld: (tx, until) => holdLeased(tx, { id, token, until }),
          extend: (db, until) => patchLeased(db, id, token, { lease_until: until, due_at: until }),
          about: { target_id: id },
        },
      );
      span?.set({ 'rostra.platform': target.platform, 'rostra.post_id': target.post_id });
      const work = await load(target, lease, claimed);
      if (work === undefined) return;
      crash('publish.claimed');
      while (await tryOnce(work));
    } catch (error) {
      if (!(error instanceof LeaseLost)) log.error({ target_id: id, error }, 'publishing failed unexpectedly');
    } finally {
      lease?.release();
    }
  };

  async function load(target: TargetRow, lease: Lease, known?: Claimed): Promise<Running | undefined> {
    const began = clock.now();
    const post = known?.post ?? (await loadPost(store.db, target.post_id));
    if (post === undefined) return undefined;
    const account = known ? known.account : await loadAccount(store.db, target.account_id);
    const platform = account && platformFor(platforms, account);
    if (account?.status === 'active' && platform?.posts !== undefined) {
      const progress = { isPublished: target.status === 'published', steps: known?.steps };
      return { target, post, account, platform, readAt: known?.readAt ?? began, lease, began, progress };
    }
    const failed = ownFailure(obstacleOf(account));
    if (target.status === 'published') await stopFollowing(target, lease, { failed }, account);
    else {
      const skipped = (await listSteps(store.db, target.id)).length === 0;
      await end(target, lease, { failed, skipped, durationMs: 0 });
    }
    return undefined;
  }

  /** Continues where the last attempt stopped; true if the next attempt follows at once. */
  async function tryOnce(work: Running): Promise<boolean> {
    const state: TryState = { step: undefined, again: false, requested: false, moved: false };
    try {
      await goThrough(work, state);
      return false;
    } catch (thrown) {
      // Nothing can be decided without the store; the next run continues from here.
      if (thrown instanceof LeaseLost || thrown instanceof StoreUnavailable) throw thrown;
      return await recover(work, state, thrown);
    }
  }

  /** Ends a refused target, or decides when to retry; true if at once. */
  async function recover(work: Running, state: TryState, thrown: unknown): Promise<boolean> {
    const { target, lease, began } = work;
    const { step, again, moved } = state;
    const failure = attemptFailureOf(target.platform, thrown, { step, again }) ?? unexpected(log, target, thrown);
    const outcome = failure.again?.kind;
    const pending = outcome === 'pending';
    logFailure(log, { target_id: target.id, platform: target.platform, step: step?.name }, failure);
    const now = clock.now();
    const durationMs = now - began;
    const clear = async () => {
      if (step !== undefined) await lease.held((db) => clearSent(db, target.id), UNFLUSHED);
    };
    const unsent = isUnsent(state, thrown);
    if (hadNoEffect(state, failure, unsent)) await clear();
    if (failure.again === undefined) return giveUp(work, step, { failed: failure.reported }, durationMs);
    const { error: stored, repeats } = (await loadTarget(store.db, target.id)) ?? target;
    // The counts start from zero if the step has made progress since.
    const tally = tallyAt(step?.name, moved ? undefined : stored?.tally);
    const settles = work.platform.posts!.publish.settle !== undefined;
    const tried = step === undefined || unsent ? ({ ...step, kind: 'invisible' } as const) : step;
    const next = afterFailure(failure.again, tried, { tally, waits: repeats, now, settles });
    if ('over' in next) {
      const exhausted = next.over === 'exhausted';
      return giveUp(work, step, { failed: failure.reported, exhausted, unfinished: pending }, durationMs);
    }
    if (pending) await clear();
    const { reported, meanwhile = reported } = failure;
    const error = { ...meanwhile, tally: countFailure(tally, failure.again.kind, now), ...(pending && { pending }) };
    const heldBack = outcome === 'throttled' && thrown instanceof PlatformError;
    await wait(work, { ...next, error, repeats: repeats + (pending ? 0 : 1), durationMs, heldBack });
    return next.waitMs === 0;
  }
}

/** Why nothing can be published for an account. */
function obstacleOf(account: AccountRow | undefined): ErrorCode {
  if (account === undefined) return 'publishing.delivery.account_load_failed';
  return account.status === 'active' ? 'publishing.delivery.not_supported' : 'account.reconnection_required';
}

function logFailure(log: Log, fields: Readonly<Record<string, unknown>>, { reported, again }: AttemptFailure): void {
  const { code, upstream, platform_status, platform_code, platform_subcode } = reported;
  if (again?.kind === 'pending') log.debug(fields, 'publishing step pending');
  else {
    const why = { code, upstream, platform_status, platform_code, platform_subcode };
    const isThrottled = again?.kind === 'throttled';
    const message = isThrottled ? 'the platform throttles' : 'publishing step failed';
    log[isThrottled ? 'warn' : 'info']({ ...fields, ...why }, message);
  }
}

/** Whether media were unavailable, so that the platform was not called at all. */
function isUnsent({ again, requested }: TryState, thrown: unknown): boolean {
  return thrown instanceof ApiError && !requested && !again;
}

/** A refused, throttled or unsent step did not take effect, unless an earlier attempt of it did. */
function hadNoEffect({ again }: TryState, failure: AttemptFailure, unsent: boolean): boolean {
  const outcome = failure.again?.kind;
  if (outcome === 'pending' || (outcome === 'unknown' && !unsent)) return false;
  return !again || failure.reported.redo !== undefined;
}

/** Handles a bug or store failure: retrying may help, but what was sent may have taken effect. */
function unexpected(log: Log, target: TargetRow, thrown: unknown): AttemptFailure {
  log.error({ target_id: target.id, error: thrown }, 'publishing step broke');
  const message = 'Something went wrong on our side.';
  return {
    reported: ownFailure('system.internal', { message }),
    again: new PlatformError('unknown', 'api_error', message),
  };
}
