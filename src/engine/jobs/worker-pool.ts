/** A bounded number of concurrent pieces of work in one process. */
export type WorkerPool = Readonly<{
  free(): number;
  track(work: Promise<void>): void;
  idle(): Promise<void>;
  /** Calls `listener` whenever a piece of work ends; returns a function that stops this. */
  onFree(listener: () => void): () => void;
}>;

/** Counts running work, which never rejects. */
export function makeWorkerPool(size: number): WorkerPool {
  const running = new Set<Promise<void>>();
  const listeners = new Set<() => void>();
  return Object.freeze({
    free: () => Math.max(0, size - running.size),
    track(work: Promise<void>) {
      running.add(work);
      void work.finally(() => {
        running.delete(work);
        for (const listener of listeners) listener();
      });
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
    onFree(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
}
