/** The engines' time in milliseconds since the epoch, with timers that tests can advance. */
export type Clock = Readonly<{
  now(): number;
  /** Runs `fn` after `ms`; returns a function that cancels it. Waits over a day are split, as timers overflow. */
  after(ms: number, fn: () => void): () => void;
}>;

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The clock of the machine; its timers do not keep the process alive. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  after(ms: number, fn: () => void) {
    let timer: NodeJS.Timeout;
    const arm = (left: number) => {
      timer = setTimeout(() => (left > DAY ? arm(left - DAY) : fn()), Math.min(Math.max(left, 0), DAY));
      timer.unref();
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
});

type Timers = Pick<Clock, 'after'>;

export function sleep(clock: Timers, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

/** Waits for `work`, at most `ms` milliseconds. Returns undefined after a timeout, without stopping the work. */
export async function within<T>(clock: Timers, ms: number, work: Promise<T>): Promise<T | undefined> {
  let cancel = () => {};
  const timeout = new Promise<undefined>((resolve) => (cancel = clock.after(ms, () => resolve(undefined))));
  return Promise.race([work, timeout]).finally(() => cancel());
}

/** Runs `fn` every `ms` milliseconds, first after one interval; returns a function that stops it. */
export function every(clock: Timers, ms: number, fn: () => void): () => void {
  let cancel = () => {};
  const arm = () => {
    cancel = clock.after(ms, () => {
      arm();
      fn();
    });
  };
  arm();
  return () => cancel();
}

/** Formats a time as RFC 3339 in UTC with exactly three fraction digits; null if absent. */
export function isoTime(ms: number): string;
export function isoTime(ms: number | null | undefined): string | null;
export function isoTime(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}

/** The start of a UTC day, the unit of retention and counters. */
export function dayOf(ms: number): number {
  return ms - (ms % DAY);
}

/** A clock that reads its offset from a file, so that a test can change the time of a child process. */
export function fileClock(file: string, read: (file: string) => string): Clock {
  const now = () => Date.now() + (Number(read(file)) || 0);
  return Object.freeze({
    now,
    after(ms: number, fn: () => void) {
      const due = now() + ms;
      const timer = setInterval(() => {
        if (now() < due) return;
        clearInterval(timer);
        fn();
      }, 20);
      timer.unref();
      return () => clearInterval(timer);
    },
  });
}
