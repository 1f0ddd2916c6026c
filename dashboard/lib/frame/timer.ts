/** Makes a function that runs only its last callback, so many milliseconds later, and not in a tab that is hidden by then. */
export function makeTimer(): (run: () => void, ms: number) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (run, ms) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!document.hidden) return run();
      document.addEventListener('visibilitychange', run, { once: true });
    }, ms);
  };
}
