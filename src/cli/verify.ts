import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compose } from '../compose/index.ts';
import { ConfigError } from '../kernel/config/config.ts';
import { ApiError } from '../kernel/errors.ts';
import { isPlatform } from '../kernel/platforms.ts';
import { makeLog } from '../kernel/log.ts';
import { makeServer } from '../serve/http/server.ts';
import { listen, openWorld } from './world.ts';

/** How the command ends: everything is as expected, something differs, or it could not be run. */
const EXIT = Object.freeze({ same: 0, differs: 1, failed: 2 });

/** Compares what a platform answers with what this program expects, and prints a report that holds nothing personal. */
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
  process.exitCode = await withProduct(async (product) => {
    const ask = { platform, account, page };
    const plan = await product.verify.plan(ask);
    const isDry = values['dry-run'];
    (isDry ? process.stdout : process.stderr).write(plan.map((line) => `- ${line}\n`).join(''));
    if (isDry) return EXIT.same;
    const found = await product.verify.run(ask, {
      checked: ({ name, state }) => void process.stderr.write(`${name}: ${state}\n`),
      made: (address) => void process.stderr.write(`made, and to be removed: ${address}\n`),
    });
    process.stdout.write(found.report);
    if (record !== undefined) {
      mkdirSync(record, { recursive: true, mode: 0o700 });
      writeFileSync(join(record, `${platform}.json`), found.record);
    }
    for (const { what, address = '' } of found.remains)
      process.stderr.write(`\nLEFT BEHIND, to be removed by hand: ${what}\n${address && `  ${address}\n`}`);
    return found.differences.length > 0 ? EXIT.differs : EXIT.same;
  });
  process.exit();
}

/** Puts the product together beside a running server, on its store, with a port of its own for the sandbox and for files. */
async function withProduct<T>(act: (product: Awaited<ReturnType<typeof compose>>) => Promise<T>): Promise<T> {
  // What its own port serves is no news to whoever reads the report.
  const world = { ...openWorld(), log: makeLog('warn', process.stderr) };
  const ready = Promise.withResolvers<Awaited<ReturnType<typeof compose>>>();
  const server = makeServer((req, res) => void ready.promise.then(({ handle }) => handle(req, res)));
  const port = await listen(server, 0, '127.0.0.1');
  const trusted = world.config.sandbox ? [world.config.rootUrl, `http://127.0.0.1:${port}`] : [];
  // Its only port is for itself.
  const config = { ...world.config, host: '127.0.0.1' };
  const product = await compose(config, { ...world, port, trusted });
  ready.resolve(product);
  try {
    return await act(product);
  } catch (error) {
    throw error instanceof ApiError ? new ConfigError(error.message) : error;
  } finally {
    server.closeAllConnections();
    server.close();
    await product.close();
  }
}
