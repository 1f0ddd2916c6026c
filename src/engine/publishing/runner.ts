import { loadAccount } from '../../../db/accounts.ts';
import { loadPost } from '../../../db/posts.ts';
import type { Store } from '../../../db/store.ts';
import { postponeAccount } from '../../../db/target-queue.ts';
import { clearSent, finishStep, listSteps, sendStep } from '../../../db/steps.ts';
import { loadTarget, patchLeased } from '../../../db/targets.ts';
import type { TargetRow } from '../../../db/targets.ts';
import type { Db } from '../../../db/tx.ts';
import type { CrashPoint, Sessions } from '../../call/ports.ts';
import type { Clock } from '../../kernel/clock.ts';
import { platformReason, StoreUnavailable } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { PlatformSlug } from '../../kernel/platforms.ts';
import {
  PlatformError,
  REQUEST_MS,
  type Done,
  type OutgoingPost,
  type Platform,
  type Step,
} from '../../platforms/platform.ts';
import { insist } from '../jobs/insist.ts';
import { keepLease, LEASE_MS, LeaseLost, UNFLUSHED, type Lease } from '../jobs/lease.ts';
import { progressOf, type Attempt, type Through, type Work } from './attempt.ts';
import { conclude, logTarget, type Conclusion } from './conclude.ts';
import type { Failure } from './doubt.ts';
import { ownFailure, setbackOf, type Setback, type TargetError } from './failures.ts';
import { afterFailure, counted, tallyAt } from './patience.ts';

export type RunnerDeps = Readonly<{
  store: Store;
  sessions: Pick<Sessions, 'hosts'>;
  attempt: Attempt;
  platforms: ReadonlyMap<PlatformSlug, Platform>;
  clock: Clock;
  log: Log;
  crash: CrashPoint;
}>;

/** A target that is being published here, since when, and by which right. */
type Running = Work & Readonly<{ lease: Lease; began: number }>;

/** Where a try stands: the step that is under way, and whether it was sent by an earlier try too. */
type Place = { step: Step | undefined; again: boolean };

/**
 * Publishes one leased target to its end or to its next try: step by step, each written down before it is
 * tried and completed before the next one starts (rulings §3.1).
 */
export function makeRunner({ store, sessions, attempt, platforms, clock, log, crash }: RunnerDeps) {
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
      return { target, post, account, platform, lease, began };
    }
    const code =
      account === undefined
        ? 'publishing.delivery.account_load_failed'
        : account.status !== 'active'
          ? 'account.reconnection_required'
          : 'publishing.delivery.not_supported';
    const skipped = (await listSteps(store.db, target.id)).length === 0;
    await end(target, lease, { failed: ownFailure(code), skipped, durationMs: 0 });
    return undefined;
  }

  /** Goes on where the last try stopped; true when another try is to follow at once. */
  async function tryOnce(work: Running): Promise<boolean> {
    const place: Place = { step: undefined, again: false };
    try {
      await goThrough(work, place);
      return false;
    } catch (thrown) {
      // Without the store nothing can be decided; the next look at the target goes on where this one stopped.
      if (thrown instanceof LeaseLost || thrown instanceof StoreUnavailable) throw thrown;
      return await stumble(work, place, thrown);
    }
  }

  async function goThrough(work: Running, place: Place): Promise<void> {
    const { target, account, platform, lease, began } = work;
    const { publish } = platform.posts!;
    const post = await attempt.describe(work);
    const { done: before, sent } = progressOf(await listSteps(store.db, target.id));
    const done: Record<string, unknown> = { ...before };
    for (const step of publish.steps(post)) {
      if (Object.hasOwn(done, step.name)) continue;
      place.step = step;
      const earlier = sent.get(step.name);
      const facts = { post, done };
      place.again = earlier !== undefined;
      const found =
        earlier && step.kind === 'visible' ? await settleStep(work, step, earlier.sent_at, facts) : 'absent';
      // What surely made nothing is sent as if for the first time.
      if (step.kind === 'visible') place.again = false;
      done[step.name] = found === 'absent' ? await runStep(work, step, facts) : found.made;
    }
    const published = publish.finish(done, sessions.hosts(platform, account.network));
    const where = { pageId: post.page_id, commentable: platform.comments && post.text };
    await end(target, lease, { published, durationMs: clock.now() - began, ...where });
  }

  async function runStep(work: Running, step: Step, facts: { post: OutgoingPost; done: Done }): Promise<unknown> {
    const { target, lease } = work;
    // With it goes everything before it: what a public effect is made of has to survive a power cut.
    await lease.held((db) => sendStep(db, target.id, step, clock.now()), { flushed: step.kind !== 'invisible' });
    crash('publish.step.sent');
    const result = await attempt.run(work, facts, step, guarded(lease));
    crash('publish.step.answered');
    await finish(work, step, result);
    return result;
  }

  /** Looks up a visible step that was sent before; it is sent again only when it surely made nothing. */
  async function settleStep(work: Running, step: Step, sentAt: number, facts: { post: OutgoingPost; done: Done }) {
    const settled = await attempt.settle(work, facts, { name: step.name, sent_at: sentAt }, guarded(work.lease));
    if (settled === 'unknown') {
      throw new PlatformError('unknown', 'api_error', 'The platform does not say whether it published.');
    }
    if (settled !== 'absent') await finish(work, step, settled.made);
    return settled;
  }

  async function finish({ target, lease }: Running, step: Step, result: unknown): Promise<void> {
    const write = (db: Db) => finishStep(db, target.id, step.name, result, clock.now());
    await insist(clock, () => lease.held(write, { flushed: step.kind === 'visible' }));
    crash('publish.step.committed');
  }

  function guarded(lease: Lease): Through {
    return (http) => async (request) => {
      await lease.outlive(request.deadlineMs ?? REQUEST_MS);
      const answer = await http(request);
      crash('publish.request.answered');
      return answer;
    };
  }

  /** Ends a target that was refused, or decides when to try again; true means at once. */
  async function stumble(work: Running, { step, again }: Place, thrown: unknown): Promise<boolean> {
    const { target, lease, began } = work;
    const setback = setbackOf(target.platform, thrown) ?? broken(target, thrown);
    const facts = { target_id: target.id, platform: target.platform, step: step?.name };
    log.info({ ...facts, code: setback.shown.code, upstream: setback.shown.upstream }, 'publishing step failed');
    const durationMs = clock.now() - began;
    const happened = setback.again?.outcome === 'unknown';
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
    const error = { ...setback.shown, tally: counted(tally, setback.again.outcome) };
    const heldBack = setback.again.outcome === 'throttled' && platformReason(error.code) !== undefined;
    await wait(work, { ...next, error, repeats: repeats + 1, durationMs, heldBack });
    return next.waitMs === 0;
  }

  /** Fails the target, or goes on without a step that the post stands without; true then. */
  async function giveUp(work: Running, step: Step | undefined, failure: Failure, durationMs: number) {
    const { target, lease } = work;
    if (step?.optional !== true) {
      await end(target, lease, { ...failure, skipped: false, durationMs });
      return false;
    }
    await lease.held(async (db) => {
      await sendStep(db, target.id, step, clock.now());
      await finishStep(db, target.id, step.name, { refused: failure.failed.message }, clock.now());
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
    { target, post, lease }: Running,
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
      if (logged) await logTarget(tx, target, now, { action: target.action, ...entry });
      if (heldBack) {
        const from = target.scheduled_at ?? post.scheduled_at ?? post.created_at;
        await postponeAccount(tx.db, target.account_id, { from, until: now + waitMs });
      }
      tx.signal('targets');
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
