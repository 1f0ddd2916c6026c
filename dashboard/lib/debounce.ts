/** How long a page waits for further changes before it reads again what changed. */
const SETTLE_MS = 250;

/** Makes a function that runs only the last of what it is given, once nothing was given for a moment. */
export function makeDebounce(waitMs: number = SETTLE_MS): (run: () => void) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (run) => {
    clearTimeout(timer);
    timer = setTimeout(run, waitMs);
  };
}
