/** How long to wait for further changes before reading again. */
const SETTLE_MS = 250;

/** Returns a function that waits for a pause in its calls and then runs only the last callback. */
export function makeDebounce(waitMs: number = SETTLE_MS): (run: () => void) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (run) => {
    clearTimeout(timer);
    timer = setTimeout(run, waitMs);
  };
}
