import { defineConfig } from 'vitest/config';

const INSTALLED = ['**/node_modules/**', 'dist/**', '.runtime/**', '.runtime-*/**'];
const CONFORMANCE = ['test/platforms/*/conformance.test.ts', 'test/made-up/**/*.test.ts'];
const JOURNEYS = ['engine', 'eval', 'journeys', 'oauth', 'serve', 'tools'].map((room) => `test/${room}/**/*.test.ts`);
const BESIDE = ['test/wire/**', 'test/bench/**', 'test/soak/**'];

/** Tests of which a world costs milliseconds, as long as its modules are loaded once per thread. */
const fast = (name: string, include: readonly string[], exclude: readonly string[] = []) => ({
  test: {
    name,
    include: [...include],
    exclude: [...INSTALLED, ...exclude],
    setupFiles: ['test/harness/setup.ts'],
    pool: 'threads' as const,
    isolate: false,
    // Three also on two cores, where one would be the default: tests wait for databases and sockets as well.
    maxWorkers: 3,
    // A bound for what hangs, wide enough for a machine that has other work: no test measures time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});

export default defineConfig({
  test: {
    globalSetup: ['test/harness/slow-tests.ts'],
    projects: [
      // Each part by itself, and the laws of the repository.
      fast('unit', ['test/**/*.test.ts'], [...BESIDE, ...CONFORMANCE, ...JOURNEYS]),
      // What every platform has to do alike.
      fast('conformance', CONFORMANCE),
      // Through the front doors, and the engines behind them against a store.
      fast('journeys', JOURNEYS),
      {
        test: {
          name: 'wire',
          include: ['test/wire/**/*.test.ts'],
          exclude: INSTALLED,
          pool: 'forks',
          isolate: true,
          maxWorkers: 2,
          testTimeout: 180_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 30_000 } },
          // The groups keep the two projects apart when both are run at once: their worker limits differ.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
