import { sleep, type Clock } from '#kernel/clock.ts';
import type { Hosts } from '#platforms/call.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { Platform } from '#platforms/platform.ts';
import { conclusive } from '#platforms/refusal.ts';
import type { OutgoingPost, PublishCall, Published, Step } from '#platforms/posts.ts';

/** How long to wait for a platform that is still processing, and how long between checks. */
export const MOST_MS = 10 * 60_000;
const LOOK_MS = 2_000;
/** How often to look up a lost response, or to repeat a repeatable step. */
const LOOKS = 3;

type Use = <T>(act: (call: PublishCall) => Promise<T>) => Promise<T>;

/** The post, as far as known; `unsure` if another one may exist. */
export type Attempt = Readonly<{ published?: Published; error?: unknown; unsure?: true }>;

type Given = Readonly<{
  clock: Clock;
  platform: Platform;
  hosts: Hosts;
  post: OutgoingPost;
  stopsBefore: string | undefined;
  /** Passes completed steps and kept state to a step. */
  use(state: Pick<PublishCall, 'done' | 'kept' | 'keep'>): Use;
}>;

/** Repeats a request until the platform has finished processing. */
export async function whenReady<T>(clock: Clock, until: number, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'pending' || clock.now() >= until) throw error;
      await sleep(clock, Math.max((error.retryAfter ?? 0) * 1000, LOOK_MS));
    }
  }
}

/** Whether a failure proves that nothing was created. */
export const madeNothing = (error: unknown): boolean =>
  error instanceof PlatformError && ['refused', 'throttled', 'not_sent'].includes(error.kind);

/** The error of a failed step; an unlisted refusal counts only if the step is invisible. */
const settled = (error: unknown, { kind }: Step): unknown =>
  error instanceof PlatformError && kind === 'invisible' ? conclusive(error) : error;

/** Whether a failed step may have taken effect. */
const isLost = (error: unknown): boolean => error instanceof PlatformError && error.kind === 'unknown';

/** Runs a post's steps as the server does, but stores none of them. */
export async function publishPost({ clock, platform, hosts, post, stopsBefore, use }: Given): Promise<Attempt> {
  const { publish } = platform.posts!;
  const done: Record<string, unknown> = {};
  // Prepared objects count as well: they remain on the platform, although they are invisible.
  const makes = ({ kind }: Step) => kind !== 'invisible' || stopsBefore !== undefined;
  let isThere = false;
  for (;;) {
    const step = publish.steps(post, done).find(({ name }) => !Object.hasOwn(done, name));
    if (step === undefined || step.name === stopsBefore) return madeSoFar();
    try {
      done[step.name] = await doStep(step);
      isThere ||= makes(step);
    } catch (error) {
      if (step.optional && error instanceof PlatformError) {
        done[step.name] = { refused: error.message };
        continue;
      }
      isThere ||= makes(step) && !madeNothing(settled(error, step));
      return isThere ? { error, ...madeSoFar(), unsure: true } : { error };
    }
  }

  async function doStep(step: Step): Promise<unknown> {
    const until = clock.now() + Math.min(step.maxWaitMs ?? MOST_MS, step.optional ? LOOK_MS : MOST_MS);
    const sentAt = clock.now();
    let kept: unknown;
    const through = use({ done, kept, keep: async (value) => void (kept = value) });
    for (let again = LOOKS; ; again -= 1) {
      try {
        return await whenReady(clock, until, () => through((call) => publish.run({ ...call, kept }, step.name)));
      } catch (error) {
        if (!isLost(settled(error, step))) throw error;
        if (step.kind === 'visible') return settle(step, sentAt, kept, error);
        if (again === 0) throw error;
        await sleep(clock, LOOK_MS);
      }
    }
  }

  /** Looks up a step whose response was lost; it is never repeated. */
  async function settle({ name }: Step, sentAt: number, kept: unknown, error: unknown): Promise<unknown> {
    for (let look = 0; publish.settle && look < LOOKS; look += 1) {
      await sleep(clock, LOOK_MS);
      const through = use({ done, kept, keep: async () => {} });
      const settled = await through((call) => publish.settle!({ ...call, sentAt }, name)).catch(
        () => 'unknown' as const,
      );
      if (typeof settled === 'object') return settled.made;
    }
    throw error;
  }

  function madeSoFar(): Attempt {
    try {
      return { published: publish.finish(done, hosts) };
    } catch {
      return {};
    }
  }
}
