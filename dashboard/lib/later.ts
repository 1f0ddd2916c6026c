/** Runs what was asked for last once nothing was asked for a moment. */
export function makeLater(waitMs: number): (run: () => void) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (run) => {
    clearTimeout(timer);
    timer = setTimeout(run, waitMs);
  };
}
