/** What one process works on at the same time: a bounded number of pieces of work. */
export type WorkerPool = Readonly<{
  free(): number;
  track(work: Promise<void>): void;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  /** Calls back whenever a piece of work has ended; the answer stops it. */
  onFree(listener: () => void): () => void;
}>;

/** Keeps count of running work, which never rejects. */
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
