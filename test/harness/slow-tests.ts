import type { TestProject } from 'vitest/node';

/** What a fast test may take of the processor, however busy the machine is; what cannot be so cheap is a wire test. */
const MOST_MS = 2000;

/** Names the tests that took more, once all have run. */
export default ({ vitest }: TestProject) =>
  function report(): void {
    const took = vitest.state
      .getTestModules()
      .flatMap(({ children, relativeModuleId }) =>
        [...children.allTests()].map(
          (test) => [test.meta().cpuMs ?? 0, `${relativeModuleId} > ${test.fullName}`] as const,
        ),
      )
      .filter(([ms]) => ms > MOST_MS)
      .toSorted(([a], [b]) => b - a);
    if (took.length === 0) return;
    const lines = took.map(([ms, name]) => `  ${(ms / 1000).toFixed(1)} s  ${name}\n`);
    process.stderr.write(`Fast tests that took over ${MOST_MS / 1000} s of the processor:\n${lines.join('')}`);
  };
