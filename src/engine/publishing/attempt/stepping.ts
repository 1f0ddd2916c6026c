import { finishStep, keepProgress, sendStep, type FinishedStep, type StepRow } from '#db/posts/steps.ts';
import { patchTarget, type TargetRow } from '#db/posts/targets.ts';
import type { Db } from '#db/store/tx.ts';
import type { CrashPoint } from '#call/ports.ts';
import type { Clock } from '#kernel/clock.ts';
import { untraced, type Trace } from '#kernel/metrics/trace.ts';
import { REQUEST_MS } from '#platforms/call.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { Step } from '#platforms/posts.ts';
import { retryWrite } from '../../jobs/retry-write.ts';
import { UNFLUSHED, type Lease } from '../../jobs/lease.ts';
import type { Attempt, StepInput, Through, Work } from './attempt.ts';
import type { StepValues } from './step-values.ts';

/** The columns that show which posts of a thread are public so far. */
export type PublishedSoFar = Pick<TargetRow, 'platform_post_id' | 'permalink' | 'segments'>;

/**
 * A target that this process is publishing: the lease, when it began, whether it is public yet, and its steps if they
 * are already known.
 */
export type Running = Work &
  Readonly<{
    lease: Lease;
    began: number;
    progress: { isPublished: boolean; steps?: readonly StepRow[] | undefined };
  }>;

/** State of an attempt: its step, whether it was sent before, and whether it made requests or stored progress. */
export type TryState = { step: Step | undefined; again: boolean; requested: boolean; moved: boolean };

/** Runs a target's steps under its lease; each that may become public is recorded as sent before its requests. */
export function makeStepping({
  attempt,
  values,
  clock,
  trace = untraced,
  crash,
}: Readonly<{
  attempt: Attempt;
  values: StepValues;
  clock: Clock;
  trace?: Trace | undefined;
  crash: CrashPoint;
}>) {
  /** Runs a step, or looks up its outcome if it was sent before and must not be repeated. */
  async function doStep(
    work: Running,
    state: TryState,
    input: StepInput,
    earlier: StepRow | undefined,
    unsaved: FinishedStep | undefined,
  ): Promise<unknown> {
    const step = state.step!;
    state.again = earlier !== undefined;
    if (step.kind === 'visible') {
      const found = earlier ? await settleStep(work, step, earlier.sent_at, input) : 'absent';
      if (found !== 'absent') return found.made;
      // If it certainly made nothing, the step is sent as if for the first time.
      state.again = false;
    }
    const { target, lease } = work;
    state.requested = false;
    const through = guarded(lease, () => (state.requested = true));
    if (step.kind !== 'invisible') {
      // Flushes this and earlier writes: before anything becomes public, its record must survive a power cut.
      const record = () =>
        lease.held(async (db) => {
          const saving = unsaved && finishStep(db, target.id, unsaved, clock.now());
          await Promise.all([saving, sendStep(db, target.id, step, clock.now())]);
        });
      // The result of the step before waits for the store, so that the step need not be repeated.
      await (unsaved ? retryWrite(clock, record) : record());
      if (unsaved) crash('publish.step.committed');
    }
    crash('publish.step.sent');
    const attributes = { 'rostra.platform': target.platform, 'rostra.step': step.name };
    const result = await trace({ name: 'publish step', attributes }, () =>
      attempt.run(work, { ...input, keep: keeping(work, state, step) }, step, through),
    );
    crash('publish.step.answered');
    return result;
  }

  function keeping({ target, lease }: Running, state: TryState, { name, kind }: Step) {
    return async (value: unknown): Promise<void> => {
      const kept = { name, kind, progress: values.sealed(target.id, value) };
      await lease.held((db) => keepProgress(db, target.id, kept, clock.now()), UNFLUSHED);
      state.moved = true;
      crash('publish.step.kept');
    };
  }

  /** Looks up a visible step that was sent before; throws if the outcome stays unknown. */
  async function settleStep(work: Running, step: Step, sentAt: number, input: StepInput) {
    const settled = await attempt.settle(work, input, { name: step.name, sent_at: sentAt }, guarded(work.lease));
    if (settled !== 'unknown') return settled;
    throw new PlatformError('unknown', 'api_error', 'The platform does not say whether it published.');
  }

  async function finish(
    { target, lease }: Running,
    step: Step,
    answer: FinishedStep,
    published: PublishedSoFar | undefined,
  ): Promise<void> {
    const write = async (db: Db) => {
      const patching = published && patchTarget(db, target.id, published);
      await Promise.all([finishStep(db, target.id, answer, clock.now()), patching]);
    };
    await retryWrite(clock, () => lease.held(write, { flushed: step.kind === 'visible' }));
    crash('publish.step.committed');
  }

  function guarded(lease: Lease, onRequest = () => {}): Through {
    return (http) => async (request) => {
      await lease.outlive(request.deadlineMs ?? REQUEST_MS);
      onRequest();
      const answer = await http(request);
      crash('publish.request.answered');
      return answer;
    };
  }

  return Object.freeze({ doStep, finish });
}
