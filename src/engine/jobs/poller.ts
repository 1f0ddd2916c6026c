import { within, type Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';

export const LOOK_MS = 1000;
/** The loop counts as stopped after this time without a successful look. */
const STALE_MS = 15_000;
/** How long running work may take to finish after `stop`; after that, its leases expire. */
const DRAIN_MS = 20_000;
/** The least time between two looks at due times. */
const SHORTEST_MS = 5;

export type DueWork = Readonly<{
  /** Starts due work unless stopped; returns 0 if another look would start nothing more. */
  tick(isStopped: () => boolean): Promise<number>;
  /** When to look again (milliseconds), if known. */
  nextAt(): Promise<number | undefined>;
  idle(): Promise<void>;
  /** Calls `listener` whenever a slot becomes free; returns a function that stops this. */
  onFree(listener: () => void): () => void;
  /** Whether to look when a slot becomes free; if it is left out, always. */
  isFreeAwaited?(): boolean;
}>;

type PollerDeps = Readonly<{
  clock: Clock;
  log: Log;
  name: string;
  work: DueWork;
  /** Calls `wake` whenever this process commits new work; returns a function that stops this. */
  onWake(wake: () => void): () => void;
}>;

/** Looks for due work of one kind: after commits, when a slot becomes free, at due times, and once a second. */
export function makePoller({ clock, log, name, work, onWake }: PollerDeps) {
  let stopped = true;
  let polling: Promise<void> | undefined;
  let again = false;
  let lastLook = clock.now();
  let cancel = () => {};
  let unlisten: readonly (() => void)[] = [];

  const isStopped = () => stopped;

  async function poll(): Promise<void> {
    do {
      again = false;
      try {
        while (!stopped && (await work.tick(isStopped)) > 0) lastLook = clock.now();
        lastLook = clock.now();
      } catch (error) {
        log.error({ work: name, error }, 'looking for due work failed');
      }
    } while (again && !stopped);
    if (!stopped) await arm();
  }

  async function arm(): Promise<void> {
    const next = await work.nextAt().catch(() => undefined);
    const wait = next === undefined ? LOOK_MS : Math.min(LOOK_MS, next - clock.now());
    cancel();
    if (!stopped) cancel = clock.after(Math.max(wait, SHORTEST_MS), wake);
  }

  function wake(): void {
    if (stopped) return;
    if (polling) {
      again = true;
      return;
    }
    polling = poll().finally(() => {
      polling = undefined;
      if (again) wake();
    });
  }

  function whenFree(): void {
    if (work.isFreeAwaited?.() !== false) wake();
  }

  return Object.freeze({
    name,
    start(): void {
      if (!stopped) return;
      stopped = false;
      lastLook = clock.now();
      unlisten = [onWake(wake), work.onFree(whenFree)];
      wake();
    },
    /** Starts no more work; resolves when running work has finished, or after 20 seconds. */
    async stop(): Promise<void> {
      stopped = true;
      for (const stop of unlisten) stop();
      unlisten = [];
      cancel();
      await polling;
      await within(clock, DRAIN_MS, work.idle());
    },
    /** Whether the loop is looking as often as it should. */
    isAlive: () => stopped || clock.now() - lastLook < STALE_MS,
  });
}
