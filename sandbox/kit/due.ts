import type { Clock } from '#kernel/clock.ts';
import type { Store } from '../store.ts';
import type { Doc, DocStore } from './docs.ts';

/** Something that happens by itself at `at`; the id says what it is about. */
export type Due = Doc;

/** What happens by itself later: kept on disk, and done by a timer or by the first look at the twin after its time. */
export function makeDue(
  { store, clock, nodes }: Readonly<{ store: Store; clock: Clock; nodes: DocStore<{ due: Due }> }>,
  done: (id: string) => void,
  /** Follows what a timer has done. */
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
    /** Does what is due by now. */
    run,
    /** Lets something happen when so many ms have passed; at once if none have to. */
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
