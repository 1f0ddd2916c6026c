import { loadAccount, type AccountRow } from '../../../../db/access/accounts.ts';
import { loadPost } from '../../../../db/posts/posts.ts';
import type { Store } from '../../../../db/store/store.ts';
import { postponeAccount } from '../../../../db/posts/target-queue.ts';
import { clearSent, finishStep, listSteps, sendStep } from '../../../../db/posts/steps.ts';
import { type TargetRow, loadTarget, patchLeased } from '../../../../db/posts/targets.ts';
import type { Tx } from '../../../../db/store/tx.ts';
import type { CrashPoint, Sessions } from '../../../call/ports.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { platformReason, StoreUnavailable } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { PlatformSlug } from '../../../kernel/platforms.ts';
import { PlatformError } from '../../../platforms/errors.ts';
import type { Platform } from '../../../platforms/platform.ts';
import type { Step } from '../../../platforms/posts.ts';
import { insist } from '../../jobs/insist.ts';
import { keepLease, LEASE_MS, LeaseLost, UNFLUSHED, type Lease } from '../../jobs/lease.ts';
import { logTarget } from '../state/activity.ts';
import { ownFailure, type TargetError } from '../state/target-error.ts';
import { progressOf, type Attempt } from './attempt.ts';
import { conclude, type Answered, type Conclusion, type Ended } from './conclude.ts';
import { finalError, isUnsettled, type Failure } from './doubt.ts';
import { setbackOf, type Setback } from './failures.ts';
import { endFollowUp, tellFollowUp, withOutcome } from './follow-up.ts';
import { afterFailure, counted, tallyAt } from './retry-policy.ts';
import { makeStepping, type Running, type TryState } from './stepping.ts';

export type RunnerDeps = Readonly<{
  store: Store;
  sessions: Pick<Sessions, 'hosts'>;
  attempt: Attempt;
  platforms: ReadonlyMap<PlatformSlug, Platform>;
  clock: Clock;
  log: Log;
  crash: CrashPoint;
}>;

const isRequired = ({ optional }: Step) => optional === undefined;

/**
 * Publishes one leased target to its end or to its next try: step by step, each written down before it is
 * tried and completed before the next one starts (rulings §3.1). It is published with the last step that it needs;
 * the optional ones follow.
 */
export function makeRunner({ store, sessions, attempt, platforms, clock, log, crash }: RunnerDeps) {
  const { doStep, finish } = makeStepping({ attempt, clock, crash });

  /** Runs a target whose lease `token` holds; ends when it is final, waits for a later try, or is lost. */
  return async function runTarget(id: string, token: string): Promise<void> {
    let lease: Lease | undefined;
    try {
      const target = await loadTarget(store.db, id);
      if (target?.lease_token !== token) return;
      lease = keepLease(
        { store, clock, log },
        {
          token,
          until: target.lease_until,
          extend: (db, until) => patchLeased(db, id, token, { lease_until: until, due_at: until }),
          about: { target_id: id },
        },
      );
      const work = await load(target, lease);
      if (work === undefined) return;
      crash('publish.claimed');
      while (await tryOnce(work));
    } catch (error) {
      if (!(error instanceof LeaseLost)) log.error({ target_id: id, error }, 'publishing failed unexpectedly');
    } finally {
      lease?.release();
    }
  };

  async function load(target: TargetRow, lease: Lease): Promise<Running | undefined> {
    const began = clock.now();
    const post = await loadPost(store.db, target.post_id);
    if (post === undefined) return undefined;
    const account = await loadAccount(store.db, target.account_id);
    const platform = platforms.get(target.platform);
    if (account?.status === 'active' && platform?.posts !== undefined) {
      return {
        target,
        post,
        account,
        platform,
        lease,
        began,
        progress: { isPublished: target.status === 'published' },
      };
    }
    const code =
      account === undefined
        ? 'publishing.delivery.account_load_failed'
        : account.status !== 'active'
          ? 'account.reconnection_required'
          : 'publishing.delivery.not_supported';
    const failed = ownFailure(code);
    if (target.status === 'published') await stopFollowing(target, lease, { failed }, account);
    else {
      const skipped = (await listSteps(store.db, target.id)).length === 0;
      await end(target, lease, { failed, skipped, durationMs: 0 });
    }
    return undefined;
  }

  /** Goes on where the last try stopped; true when another try is to follow at once. */
  async function tryOnce(work: Running): Promise<boolean> {
    const place: TryState = { step: undefined, again: false };
    try {
      await goThrough(work, place);
      return false;
    } catch (thrown) {
      // Without the store nothing can be decided; the next look at the target goes on where this one stopped.
      if (thrown instanceof LeaseLost || thrown instanceof StoreUnavailable) throw thrown;
      return await stumble(work, place, thrown);
    }
  }

  async function goThrough(work: Running, place: TryState): Promise<void> {
    const { target, account, platform, progress } = work;
    const { publish } = platform.posts!;
    const post = await attempt.describe(work);
    const { done: before, sent } = progressOf(await listSteps(store.db, target.id));
    const done: Record<string, unknown> = { ...before };
    const open = () => publish.steps(post, done).filter(({ name }) => !Object.hasOwn(done, name));
    const facts = () => {
      const published = publish.finish(done, sessions.hosts(platform, account.network));
      return withOutcome(published, publish.steps(post, done), done);
    };
    let last: Answered | undefined;
    for (let left = open(); ; left = open()) {
      const required = left.find(isRequired);
      if (required === undefined && !progress.isPublished) {
        const where = { pageId: post.page_id, commentable: platform.comments && post.text };
        await endPublished(work, { published: facts(), last, followed: left.length > 0, ...where });
        if (left.length === 0) return;
      }
      const step = required ?? left[0];
      if (step === undefined) return follow(work, undefined, { published: facts(), isOver: true });
      place.step = step;
      const result = await doStep(work, place, { post, done }, sent.get(step.name));
      done[step.name] = result;
      last = { step: step.name, result };
      if (open().some(isRequired)) await finish(work, step, result);
      else if (progress.isPublished) {
        const isOver = open().length === 0;
        await follow(work, last, { published: facts(), isOver });
        if (isOver) return;
      }
    }
  }

  /** Makes the target published in the moment in which the last step that it needs is done. */
  async function endPublished(work: Running, ending: Omit<Ended, 'durationMs'>): Promise<void> {
    const { target, lease, began, progress } = work;
    await insist(clock, () => end(target, lease, { ...ending, durationMs: clock.now() - began }));
    if (ending.last) crash('publish.step.committed');
    progress.isPublished = true;
  }

  /** Writes what an optional step has added to a published target. */
  async function follow(
    { target, lease }: Running,
    answered: Answered | undefined,
    told: Parameters<typeof tellFollowUp>[3],
  ): Promise<void> {
    const write = async (tx: Tx) => {
      if (!(await tellFollowUp(tx, target, lease.token, told))) return false;
      if (answered) await finishStep(tx.db, target.id, answered.step, answered.result, clock.now());
      return true;
    };
    const kept = await insist(clock, () => store.write(write));
    if (!kept) throw new LeaseLost();
    if (answered) crash('publish.step.committed');
  }

  /** Leaves a published target as it is, with what went wrong afterwards. */
  async function stopFollowing(target: TargetRow, lease: Lease, failure: Failure, profile: AccountRow | undefined) {
    const why = await lastWords(target, failure, profile);
    if (!(await store.write((tx) => endFollowUp(tx, target.id, lease.token, why)))) throw new LeaseLost();
  }

  async function lastWords({ id }: TargetRow, failure: Failure, profile: AccountRow | undefined): Promise<string> {
    return finalError(failure, { unsettled: isUnsettled(await listSteps(store.db, id)), profile }).message;
  }

  /** Ends a target that was refused, or decides when to try again; true means at once. */
  async function stumble(work: Running, { step, again }: TryState, thrown: unknown): Promise<boolean> {
    const { target, lease, began } = work;
    const setback = setbackOf(target.platform, thrown) ?? broken(target, thrown);
    const facts = { target_id: target.id, platform: target.platform, step: step?.name };
    log.info({ ...facts, code: setback.shown.code, upstream: setback.shown.upstream }, 'publishing step failed');
    const durationMs = clock.now() - began;
    const happened = setback.again?.kind === 'unknown';
    // What was refused or held back did not take effect: only an earlier try of the same step may have.
    if (!happened && !again && step !== undefined) await lease.held((db) => clearSent(db, target.id), UNFLUSHED);
    if (setback.again === undefined) return giveUp(work, step, { failed: setback.shown }, durationMs);
    const { error: stored, repeats } = (await loadTarget(store.db, target.id)) ?? target;
    const before = stored === null ? undefined : (JSON.parse(stored) as TargetError).tally;
    const tally = tallyAt(step?.name, before);
    const kind = step?.kind ?? 'invisible';
    const next = afterFailure(setback.again, kind, { tally, waits: repeats });
    if ('over' in next) {
      return giveUp(work, step, { failed: setback.shown, exhausted: next.over === 'exhausted' }, durationMs);
    }
    const error = { ...setback.shown, tally: counted(tally, setback.again.kind) };
    const heldBack = setback.again.kind === 'throttled' && platformReason(error.code) !== undefined;
    await wait(work, { ...next, error, repeats: repeats + 1, durationMs, heldBack });
    return next.waitMs === 0;
  }

  /** Fails the target, or goes on without a step that a published one stands without; true then. */
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
    await lease.held(async (db) => {
      await sendStep(db, target.id, step, clock.now());
      await finishStep(db, target.id, step.name, { refused: why }, clock.now());
    });
    return true;
  }

  /** A bug of ours, or a store that failed: it may pass, and what was sent may have taken effect. */
  function broken(target: TargetRow, thrown: unknown): Setback {
    log.error({ target_id: target.id, error: thrown }, 'publishing step broke');
    const message = 'Something went wrong on our side.';
    return {
      shown: ownFailure('system.internal', { message }),
      again: new PlatformError('unknown', 'api_error', message),
    };
  }

  async function wait(
    { target, post, lease, progress }: Running,
    { waitMs, logged, error, repeats, durationMs, heldBack }: Waiting,
  ): Promise<void> {
    const now = clock.now();
    const until = now + LEASE_MS;
    const kept = await store.write(async (tx) => {
      const patch = { repeats, error: JSON.stringify(error) };
      const right =
        waitMs === 0
          ? { lease_until: until, due_at: until }
          : { lease_token: null, lease_until: 0, due_at: now + waitMs };
      if (!(await patchLeased(tx.db, target.id, lease.token, { ...patch, ...right }))) return false;
      const entry = { status: 'failed', durationMs, statusCode: error.status, error: error.message } as const;
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
  }
}

type Waiting = Readonly<{
  waitMs: number;
  logged: boolean;
  error: TargetError;
  repeats: number;
  durationMs: number;
  /** The platform held it back, as it would whatever else the account publishes. */
  heldBack: boolean;
}>;
