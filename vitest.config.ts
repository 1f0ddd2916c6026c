import { defineConfig } from 'vitest/config';

const BESIDE = ['test/wire/**', 'test/bench/**', 'test/soak/**'];
const INSTALLED = ['**/node_modules/**', 'dist/**', '.runtime/**', '.runtime-*/**'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...INSTALLED, ...BESIDE],
          setupFiles: ['test/harness/setup.ts'],
          globalSetup: ['test/harness/slow-tests.ts'],
          // A world per test costs milliseconds only as long as its modules are loaded once per thread.
          pool: 'threads',
          isolate: false,
          // Three also on two cores, where one would be the default: tests wait for databases and sockets as well.
          maxWorkers: 3,
          // A bound for what hangs, wide enough for a machine that has other work: no test measures time.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
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
