import { within, type Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';

const LOOK_MS = 1000;
/** Without a successful look for this long, the loop counts as stopped. */
const STALE_MS = 15_000;
/** How long running work may take to end after `stop`; other leases expire. */
const DRAIN_MS = 20_000;
/** The least time between looks that only the clock requests. */
const SHORTEST_MS = 5;

export type DueWork = Readonly<{
  /** Starts what is due, until it is stopped; 0 if another look would start nothing more. */
  tick(isStopped: () => boolean): Promise<number>;
  /** When to look again (milliseconds), if known. */
  nextAt(): Promise<number | undefined>;
  idle(): Promise<void>;
  /** Calls back whenever capacity becomes free; returns how to stop it. */
  onFree(listener: () => void): () => void;
}>;

type PollerDeps = Readonly<{
  clock: Clock;
  log: Log;
  name: string;
  work: DueWork;
  /** Calls back whenever this process commits new work; returns how to stop it. */
  onWake(wake: () => void): () => void;
}>;

/** The loop of one kind of due work, after commits, free capacity, due times, and once a second. */
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
    /** Whether the loop looks as often as it should. */
    isAlive: () => stopped || clock.now() - lastLook < STALE_MS,
  });
}
