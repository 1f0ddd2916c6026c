import { join } from 'node:path';
import { readConfig } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { makeLog } from '#kernel/log.ts';
import { openDataDir } from '#compose/keyring.ts';
import { makeSmall } from '#engine/media/pictures/small.ts';
import { makeWorkshop } from '#engine/media/pictures/workshop.ts';
import { platforms } from '#platforms/index.ts';
import { openSandbox } from '#sandbox/network.ts';
import { makeServer } from '#serve/http/server.ts';
import { clockOf, listen, untilStopSignal } from './world.ts';

/** Runs the sandbox as its own process; a server uses it through SANDBOX_URL. */
export async function serveSandbox(portText: string): Promise<void> {
  const wanted = Number(portText);
  if (!/^\d{1,5}$/.test(portText) || wanted > 65_535) throw new ConfigError('--port must be 0 to 65535');
  const config = readConfig(platforms.values());
  openDataDir(config.dataDir);
  const log = makeLog(config.log, process.stderr);
  const workshop = makeWorkshop(log);
  const ready = Promise.withResolvers<ReturnType<typeof openSandbox>>();
  const server = makeServer((req, res) => void ready.promise.then(({ app }) => app.callback()(req, res)));
  const port = await listen(server, wanted, '127.0.0.1');
  const root = `http://127.0.0.1:${port}`;
  const sandbox = openSandbox({
    file: join(config.dataDir, 'sandbox.db'),
    clock: clockOf(config),
    rootUrl: () => root,
    productUrl: () => config.rootUrl,
    small: makeSmall({ folder: join(config.dataDir, 'spool', 'media'), workshop }),
    log,
    control: true,
  });
  ready.resolve(sandbox);
  process.stdout.write(`${root}/sandbox\n`);
  await untilStopSignal();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  sandbox.close();
  workshop.close();
  process.exit(0);
}
