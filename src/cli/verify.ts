import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError } from '#kernel/config/reader.ts';
import { makeFolders } from '#kernel/folders.ts';
import { isPlatform } from '#kernel/platforms.ts';
import { makeLog } from '#kernel/log.ts';
import { withProduct } from './with-product.ts';
import { openWorld } from './world.ts';

/** Exit codes: as expected, differences, or not completed. */
const EXIT = Object.freeze({ same: 0, differs: 1, failed: 2 });

/** Compares a platform's answers with expectations, and prints a report without personal data. */
export async function verify(args: readonly string[]): Promise<void> {
  process.exitCode = EXIT.failed;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      account: { type: 'string' },
      page: { type: 'string' },
      record: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  const [platform = '', ...rest] = positionals;
  if (platform === '' || rest.length > 0) throw new ConfigError('verify needs one platform: rostra verify <platform>');
  if (!isPlatform(platform)) throw new ConfigError(`there is no platform ${platform}`);
  const { account, page, record } = values;
  // The reader of the report does not need the log lines of requests to this process.
  const world = { ...openWorld(), log: makeLog({ level: 'warn' }, process.stderr) };
  process.exitCode = await withProduct(world, async (product) => {
    const request = { platform, account, page };
    const plan = await product.verify.plan(request);
    const isDry = values['dry-run'];
    (isDry ? process.stdout : process.stderr).write(plan.map((line) => `- ${line}\n`).join(''));
    if (isDry) return EXIT.same;
    const found = await product.verify.run(request, {
      checked: ({ name, state }) => void process.stderr.write(`${name}: ${state}\n`),
      made: (address) => void process.stderr.write(`made, and to be removed: ${address}\n`),
    });
    process.stdout.write(found.report);
    for (const { what, address = '' } of found.remains)
      process.stderr.write(`\nLEFT BEHIND, to be removed by hand: ${what}\n${address && `  ${address}\n`}`);
    if (record !== undefined) {
      makeFolders(record);
      writeFileSync(join(record, `${platform}.json`), found.record);
    }
    if (found.broken.length > 0) throw found.broken[0];
    return found.differences.length > 0 ? EXIT.differs : EXIT.same;
  });
  process.exit();
}
