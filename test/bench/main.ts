import { parseArgs } from 'node:util';
import { benchDelivery } from './delivery.ts';
import { tableOf, type Finding } from './finding.ts';
import { benchLists } from './lists.ts';
import { benchMcp } from './mcp.ts';
import { benchPublish } from './publish.ts';
import { benchPush } from './push.ts';
import { benchRest } from './rest.ts';
import { benchScale } from './scale.ts';
import { benchStart } from './start.ts';
import { benchTokens } from './tokens.ts';
import { benchWrites } from './writes.ts';

const USAGE =
  'usage: npm run bench -- [--quick] [--long] [mcp] [rest] [lists] [tokens] [start] [delivery] [writes] [push] [publish] [scale]';

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, long: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const { quick, long } = values;
const effort = quick ? { rounds: 2, seconds: 1 } : { rounds: 11, seconds: 1 };
const sizes = quick ? [1000, 10_000] : [1000, 100_000, 1_000_000];
/** Takes minutes to make, and some 15 GB of the folder for temporary files while it is there. */
const longest = long ? [10_000_000] : [];

const BENCHES: Readonly<Record<string, () => readonly Finding[] | Promise<readonly Finding[]>>> = {
  mcp: () => benchMcp(effort),
  rest: () => benchRest(effort),
  lists: () => benchLists(effort, [...sizes, ...longest]),
  tokens: benchTokens,
  start: () => benchStart(quick ? { starts: 1, idleSeconds: 1 } : { starts: 5, idleSeconds: 10 }),
  delivery: () =>
    benchDelivery(
      quick
        ? { rounds: 1, deliveries: 400, claims: 3, queues: sizes }
        : { rounds: 7, deliveries: 2000, claims: 21, queues: sizes },
    ),
  writes: () => benchWrites(effort),
  push: () => benchPush(quick ? { rounds: 1, pushes: 200 } : { rounds: 5, pushes: 4000 }),
  publish: () => benchPublish(quick ? { posts: 100, accounts: [10] } : { posts: 2000, accounts: [10, 100] }),
  scale: () =>
    benchScale(quick ? { accounts: 24, posts: 24, deliveries: 80 } : { accounts: 480, posts: 480, deliveries: 1600 }),
};

/** Prints what was measured; a missed aim is no failure, since no machine is quiet enough for a timed test. */
async function main(): Promise<void> {
  const unknown = positionals.find((name) => !Object.hasOwn(BENCHES, name));
  if (unknown !== undefined) {
    process.stderr.write(`there is no benchmark "${unknown}"\n${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  const chosen = positionals.length > 0 ? positionals : Object.keys(BENCHES);
  for (const name of chosen) {
    process.stderr.write(`${name} …\n`);
    console.log(`${tableOf(name, await BENCHES[name]!())}\n`);
  }
  if (quick) console.log('Quick rounds on small tables: these numbers show that the benchmark runs, little more.');
}

await main();
