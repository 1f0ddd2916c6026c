type Page = Pick<Document, 'hidden' | 'addEventListener'>;

/** Returns a function that runs only the last callback, after `ms` milliseconds and once the tab is visible. */
export function makeTimer(page: Page = document): (run: () => void, ms: number) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let missed: (() => void) | undefined;
  page.addEventListener('visibilitychange', () => {
    if (page.hidden) return;
    const run = missed;
    missed = undefined;
    run?.();
  });
  return (run, ms) => {
    clearTimeout(timer);
    missed = undefined;
    timer = setTimeout(() => {
      if (page.hidden) missed = run;
      else run();
    }, ms);
  };
}
