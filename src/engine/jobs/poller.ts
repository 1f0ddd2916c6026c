import { within, type Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';

/** How often every process looks for due work that another process may have added. */
const LOOK_MS = 1000;
/** Without a successful look for this long, the loop counts as stopped. */
const STALE_MS = 15_000;
/** How long running work may take to end after `stop`; the leases of the rest expire. */
const DRAIN_MS = 20_000;
/** The least time between two looks that nothing but the clock asks for. */
const SHORTEST_MS = 5;

/** Work that becomes due. */
export type DueWork = Readonly<{
  /** Starts what is due, until it is stopped; 0 when another look would start nothing more. */
  tick(isStopped: () => boolean): Promise<number>;
  /** When to look again (milliseconds); undefined when no time is known. */
  nextAt(): Promise<number | undefined>;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  /** Calls back whenever capacity became free; the answer stops it. */
  onFree(listener: () => void): () => void;
}>;

type PollerDeps = Readonly<{
  clock: Clock;
  log: Log;
  name: string;
  work: DueWork;
  /** Calls back whenever this process committed new work; the answer stops it. */
  onWake(wake: () => void): () => void;
}>;

/**
 * The loop of one kind of due work. It looks after commits of this process, when capacity becomes free, at the
 * earliest due time, and once a second for what other processes added.
 */
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

  return Object.freeze({
    name,
    start(): void {
      if (!stopped) return;
      stopped = false;
      lastLook = clock.now();
      unlisten = [onWake(wake), work.onFree(wake)];
      wake();
    },
    /** Starts no new work; resolves when running work has ended, or after 20 seconds. */
    async stop(): Promise<void> {
      stopped = true;
      for (const stop of unlisten) stop();
      unlisten = [];
      cancel();
      await polling;
      await within(clock, DRAIN_MS, work.idle());
    },
    /** True while the loop looks as often as it should. */
    isAlive: () => stopped || clock.now() - lastLook < STALE_MS,
  });
}
