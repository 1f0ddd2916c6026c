/** How long to wait for further changes before reading again. */
const SETTLE_MS = 250;
/** After so many waits, what changes without a pause is read again all the same. */
const MOST_WAITS = 8;

type Later = (run: () => void) => void;

/** Returns a function that waits for a pause in its calls and then runs only the last callback. */
export function makeDebounce(waitMs: number, mostMs = Infinity): Later {
  let pause: ReturnType<typeof setTimeout> | undefined;
  let limit: ReturnType<typeof setTimeout> | undefined;
  let last: () => void;
  function end(): void {
    clearTimeout(pause);
    clearTimeout(limit);
    limit = undefined;
    last();
  }
  return (run) => {
    last = run;
    clearTimeout(pause);
    pause = setTimeout(end, waitMs);
    if (mostMs < Infinity) limit ??= setTimeout(end, mostMs);
  };
}

/** Like a debounce, for reading again what log entries changed. These may never pause. */
export const makeSettling = (waitMs: number = SETTLE_MS): Later => makeDebounce(waitMs, MOST_WAITS * waitMs);
