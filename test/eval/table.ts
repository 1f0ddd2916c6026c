import type { Reporter, TestModule } from 'vitest/node';

type Row = readonly [name: string, ...cells: string[]];

const HEAD: Row = ['', 'calls', 'characters', 'refusals', 'largest answer'];

/** Prints the table of `npm run eval`: what each job cost. */
export default function makeTable(): Reporter {
  return {
    onTestRunEnd(modules) {
      const rows = modules.flatMap(costsOf);
      const width = Math.max(...rows.map(([name]) => name.length));
      const lines = [HEAD, ...rows].map(([name, ...cells]) =>
        [name.padEnd(width), ...cells.map((cell) => cell.padStart(15))].join(''),
      );
      process.stdout.write(`\n${lines.join('\n')}\n`);
    },
  };
}

function costsOf({ children }: TestModule): readonly Row[] {
  return [...children.allTests()].flatMap((test) => {
    const { cost } = test.meta();
    if (cost === undefined) return [];
    return [[test.name, ...[cost.calls, cost.characters, cost.refusals, cost.largest].map(String)]];
  });
}
