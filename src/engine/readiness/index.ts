import { testWrite } from '#db/store/settings.ts';
import type { Store } from '#db/store/store.ts';
import { within, type Clock } from '#kernel/clock.ts';
import { randomHex } from '#kernel/ids.ts';

/** How long the result of a test write is reused. */
const KEPT_MS = 5_000;
/** Slower writes count as failed. */
const DEADLINE_MS = 2_000;

type Loop = Readonly<{ name: string; isAlive(): boolean }>;
type ReadinessDeps = Readonly<{
  store: Pick<Store, 'write' | 'damage'>;
  clock: Clock;
  loops: readonly Loop[];
  paused(): Readonly<{ why: string; ending: string }> | undefined;
}>;

/** Finds what keeps the server from working: a pause, stopped loops, or a store that accepts no writes. */
export function makeReadiness({ store, clock, loops, paused }: ReadinessDeps): () => Promise<readonly string[]> {
  let writing: Promise<boolean> | undefined;
  let works: Promise<boolean> | undefined;
  let testedAt = -Infinity;

  /** Whether a write succeeds in time; while one hangs, no second one is started. */
  async function test(): Promise<boolean> {
    writing ??= store
      .write((tx) => testWrite(tx.db, randomHex(8)))
      .then(
        () => true,
        () => false,
      )
      .finally(() => (writing = undefined));
    return (await within(clock, DEADLINE_MS, writing)) ?? false;
  }

  return async function problems() {
    if (works === undefined || clock.now() - testedAt >= KEPT_MS) {
      testedAt = clock.now();
      works = test();
    }
    const pause = paused();
    const stopped = [
      ...(pause === undefined ? [] : [`paused: ${pause.why} ${pause.ending}`]),
      ...loops.filter((loop) => !loop.isAlive()).map(({ name }) => name),
    ];
    const worked = await works;
    const damage = store.damage();
    if (damage !== undefined) return [...stopped, `store: ${damage}`];
    return worked ? stopped : [...stopped, 'store'];
  };
}
