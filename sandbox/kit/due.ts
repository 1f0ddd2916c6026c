import type { Clock } from '#kernel/clock.ts';
import type { Store } from '../store.ts';
import type { Doc, DocStore } from './docs.ts';

export type Due = Doc;

/** Scheduled events. They are stored, and run by a timer or before the first access after their time. */
export function makeDue(
  { store, clock, nodes }: Readonly<{ store: Store; clock: Clock; nodes: DocStore<{ due: Due }> }>,
  done: (id: string) => void,
  after: () => void,
) {
  const timers = new Set<() => void>();

  function run(): void {
    const over = nodes.list('due').filter(({ at }) => at <= clock.now());
    if (over.length === 0) return;
    store.write(() => {
      for (const { id } of over) {
        nodes.remove('due', id);
        done(id);
      }
    });
  }

  return Object.freeze({
    run,
    /** Schedules an event in `ms`; with 0 it happens at once. */
    add(id: string, ms: number): void {
      if (ms === 0) {
        done(id);
        return;
      }
      nodes.put('due', { id, at: clock.now() + ms });
      const cancel = clock.after(ms, () => {
        timers.delete(cancel);
        run();
        after();
      });
      timers.add(cancel);
    },
    close() {
      for (const cancel of timers) cancel();
    },
  });
}
