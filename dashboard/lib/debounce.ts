/** How long to wait for further changes before reading again. */
const SETTLE_MS = 250;

/** Makes a function that runs only its last callback, after a quiet moment. */
export function makeDebounce(waitMs: number = SETTLE_MS): (run: () => void) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (run) => {
    clearTimeout(timer);
    timer = setTimeout(run, waitMs);
  };
}
