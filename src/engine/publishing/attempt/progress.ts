import type { Store } from '#db/store/store.ts';
import { finishStep, listSteps, type FinishedStep } from '#db/posts/steps.ts';
import { patchTarget } from '#db/posts/targets.ts';
import type { Tx } from '#db/store/tx.ts';
import type { CrashPoint, Sessions } from '#call/ports.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Trace } from '#kernel/metrics/trace.ts';
import type { Hosts } from '#platforms/call.ts';
import type { Done, OutgoingPost, Publish, Step } from '#platforms/posts.ts';
import { retryWrite } from '../../jobs/retry-write.ts';
import { LeaseLost } from '../../jobs/lease.ts';
import type { Attempt } from './attempt.ts';
import type { Ended } from './conclude.ts';
import type { Ending } from './ending.ts';
import { recordFollowUp, withOutcome } from './follow-up.ts';
import type { StepValues } from './step-values.ts';
import { makeStepping, type Running, type PublishedSoFar, type TryState } from './stepping.ts';

const isRequired = ({ optional }: Step) => optional === undefined;

/** The public posts of a thread, as a target shows them. */
function partsPublished(publish: Publish, done: Done, hosts: Hosts): PublishedSoFar | undefined {
  try {
    const { segments = [] } = publish.finish(done, hosts);
    const [first] = segments;
    return first && { ...first, segments };
  } catch {
    // Nothing is public yet.
    return undefined;
  }
}

type ProgressDeps = Readonly<{
  store: Store;
  sessions: Pick<Sessions, 'hosts'>;
  attempt: Attempt;
  values: StepValues;
  clock: Clock;
  trace?: Trace | undefined;
  crash: CrashPoint;
  ending: Ending;
}>;

/** Runs the remaining steps of a target; the last required one publishes it, and optional ones follow. */
export function makeProgress({ store, sessions, attempt, values, clock, trace, crash, ending }: ProgressDeps) {
  const { doStep, finish } = makeStepping({ attempt, values, clock, trace, crash });

  async function goThrough(work: Running, state: TryState): Promise<void> {
    const { target, account, platform, progress } = work;
    const { publish } = platform.posts!;
    const post = await withPictures(work);
    const { done: before, sent, kept } = values.progressOf(progress.steps ?? (await listSteps(store.db, target.id)));
    progress.steps = undefined;
    const done: Record<string, unknown> = { ...before };
    const open = () => publish.steps(post, done).filter(({ name }) => !Object.hasOwn(done, name));
    const hosts = sessions.hosts(platform, account.network);
    const publishedSoFar = () => {
      const published = publish.finish(done, hosts);
      return withOutcome(published, publish.steps(post, done), done);
    };
    const soFar = () => (post.segments.length > 0 ? partsPublished(publish, done, hosts) : undefined);
    await noteFound(work, soFar());
    let last: FinishedStep | undefined;
    /** The result of an invisible step, which is stored together with the record that the next step is sent. */
    let unsaved: FinishedStep | undefined;
    for (let left = open(); ; left = open()) {
      const required = left.find(isRequired);
      if (required === undefined && !progress.isPublished) {
        const isThread = work.post.segments.length > 0;
        const where = { pageId: post.page_id, commentable: platform.comments && post.text, isThread };
        await endPublished(work, { published: publishedSoFar(), last, followed: left.length > 0, ...where });
        if (left.length === 0) return;
      }
      const step = required ?? left[0];
      if (step === undefined) return follow(work, undefined, { published: publishedSoFar(), isOver: true });
      Object.assign(state, { step, moved: false });
      const { name } = step;
      const result = await doStep(work, state, { post, done, kept: kept.get(name) }, sent.get(name), unsaved);
      done[name] = result;
      last = values.finished(target.id, step, result);
      const next = open().find(isRequired);
      const isRecordedNext = next?.kind === 'idempotent' && !sent.has(next.name);
      unsaved = step.kind === 'invisible' && isRecordedNext ? last : undefined;
      if (unsaved) continue;
      if (next) await finish(work, step, last, soFar());
      else if (progress.isPublished) {
        const isOver = open().length === 0;
        await follow(work, last, { published: publishedSoFar(), isOver });
        if (isOver) return;
      }
    }
  }

  /** Converts pictures that do not fit, and stores the conversions before anything is sent. */
  async function withPictures(work: Running): Promise<OutgoingPost> {
    const { target, lease } = work;
    const { post, converted } = await attempt.prepare(work);
    if (converted === undefined) return post;
    await lease.held((db) => patchTarget(db, target.id, { converted }));
    crash('publish.pictures.made');
    return post;
  }

  /** Stores the posts of a thread that turn out to be public already. */
  async function noteFound({ target, lease, progress }: Running, published: PublishedSoFar | undefined): Promise<void> {
    if (progress.isPublished || (published?.segments ?? []).length <= (target.segments ?? []).length) return;
    await lease.held((db) => patchTarget(db, target.id, published!));
  }

  /** Stores the publication together with the last required step. */
  async function endPublished(work: Running, published: Omit<Ended, 'durationMs'>): Promise<void> {
    const { target, lease, began, progress } = work;
    await retryWrite(clock, () => ending.end(target, lease, { ...published, durationMs: clock.now() - began }));
    if (published.last) crash('publish.step.committed');
    progress.isPublished = true;
  }

  /** Stores what an optional step added to a published target. */
  async function follow(
    { target, lease }: Running,
    answered: FinishedStep | undefined,
    followUp: Parameters<typeof recordFollowUp>[3],
  ): Promise<void> {
    const write = async (tx: Tx) => {
      if (!(await recordFollowUp(tx, target, lease.token, followUp))) return false;
      if (answered) await finishStep(tx.db, target.id, answered, clock.now());
      return true;
    };
    const kept = await retryWrite(clock, () => store.write(write));
    if (!kept) throw new LeaseLost();
    if (answered) crash('publish.step.committed');
    if (followUp.isOver) await attempt.forget(target);
  }

  return goThrough;
}
