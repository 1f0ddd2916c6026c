import { within, type Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';

/** How often every process looks for due work that another process may have added. */
const LOOK_MS = 1000;
/** Looks that are this late mean that the loop has stopped. */
const STALE_MS = 15_000;
/** What runs when the process is told to stop gets this long; the leases of the rest end on their own. */
const DRAIN_MS = 20_000;

/** Something with due work: `tick` starts what is due, `nextAt` says when the next thing becomes due. */
export type DueWork = Readonly<{
  tick(): Promise<number>;
  nextAt(): Promise<number | undefined>;
  idle(): Promise<void>;
  onFree(listener: () => void): () => void;
}>;

type Deps = Readonly<{ clock: Clock; log: Log; name: string; work: DueWork; onWake(wake: () => void): () => void }>;

/**
 * Keeps one kind of work going: woken by commits of this process, by work that ended, by the earliest due time, and
 * once a second for what other processes added.
 */
export function makePoller({ clock, log, name, work, onWake }: Deps) {
  let stopped = true;
  let beating: Promise<void> | undefined;
  let again = false;
  let lastBeat = clock.now();
  let cancel = () => {};
  let unlisten: readonly (() => void)[] = [];

  async function beat(): Promise<void> {
    do {
      again = false;
      try {
        while (!stopped && (await work.tick()) > 0) lastBeat = clock.now();
        lastBeat = clock.now();
      } catch (error) {
        log.error({ work: name, error }, 'looking for due work failed');
      }
    } while (again && !stopped);
    if (!stopped) await arm();
  }

  async function arm(): Promise<void> {
    const next = await work.nextAt().catch(() => undefined);
    const wait = next === undefined ? LOOK_MS : Math.min(LOOK_MS, Math.max(0, next - clock.now()));
    cancel();
    if (!stopped) cancel = clock.after(Math.max(wait, 5), wake);
  }

  function wake(): void {
    if (stopped) return;
    if (beating) {
      again = true;
      return;
    }
    beating = beat().finally(() => {
      beating = undefined;
      if (again) wake();
    });
  }

  return Object.freeze({
    name,
    start(): void {
      stopped = false;
      lastBeat = clock.now();
      unlisten = [onWake(wake), work.onFree(wake)];
      wake();
    },
    /** No new work is started; resolves when what runs has ended or has had its time. */
    async stop(): Promise<void> {
      stopped = true;
      for (const stop of unlisten) stop();
      unlisten = [];
      cancel();
      await beating;
      await within(clock, DRAIN_MS, work.idle());
    },
    /** True while the loop looks as often as it should. */
    isAlive: () => stopped || clock.now() - lastBeat < STALE_MS,
  });
}
