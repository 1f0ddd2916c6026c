import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { compose } from '#compose/index.ts';
import { systemClock, within } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { envelope } from '#kernel/envelope.ts';
import { ApiError } from '#kernel/errors.ts';
import { randomHex } from '#kernel/ids.ts';
import { makeServer } from '#serve/http/server.ts';
import { firstStart } from './first-start.ts';
import { releaseHeap } from '#kernel/limits/heap.ts';
import { listen, openWorld, untilStopSignal } from './world.ts';

/** How long running attempts may take to finish, and open requests after them. */
const DRAIN_MS = 20_000;
const CLOSE_MS = 3_000;

/** Loaded when it is first needed. */
const doctor = async () => (await import('./doctor/run-doctor.ts')).runDoctor();

/** Runs the server until a stop signal, then drains running attempts for up to 20 s. */
export async function serve({ paused = false }: Readonly<{ paused?: boolean | undefined }>): Promise<void> {
  const world = openWorld();
  const { log } = world;
  // First, so that a signal during the start is handled as well.
  const stopSignal = untilStopSignal();
  // Listens before opening the store: if the port is in use, the database must not be migrated.
  const ready = Promise.withResolvers<void>();
  const waitForStart: RequestListener = (req, res) => void ready.promise.then(() => handle(req, res));
  let handle = waitForStart;
  const server = makeServer((req, res) => handle(req, res));
  const port = await listen(server, world.config.port, world.config.host);
  const config = { ...atPort(world.config, port), ...(paused && { paused: 'on' as const }) };
  const product = await compose(config, { ...world, port, doctor });
  let draining = false;
  // Other requests wait: once the server responds, the files of the first start exist. Creating them uses its own
  // sandbox.
  handle = (req, res) => {
    if (isOwnSandbox(req)) product.handle(req, res);
    else waitForStart(req, res);
  };
  await product.start();
  const lines = await firstStart(config, product, log);
  handle = (req, res) => {
    if (draining && !isOwnSandbox(req)) refuseNew(res);
    else product.handle(req, res);
  };
  ready.resolve();
  log.info({ port, root_url: config.rootUrl, sandbox: config.sandbox, store: product.store.dialect }, 'serving');
  process.stdout.write(lines.join('\n') + '\n');
  releaseHeap();
  if (config.backup !== undefined) {
    const { backUpRegularly } = await import('./regular-backup.ts');
    const { meter, paused: pause } = product;
    backUpRegularly(config.backup, { log, meter, isPaused: () => pause() !== undefined });
  }

  const signal = await stopSignal;
  log.info({ signal }, 'stopping');
  draining = true;
  // Running attempts may still call simulators on this server, so it keeps listening until they end.
  await within(systemClock, DRAIN_MS, product.stop());
  await closeServer(server);
  await product.close();
  log.info({}, 'stopped');
  process.exit(0);
}

/** Replaces PORT=0 by the port that was chosen, in the default ROOT_URL too. */
export function atPort(config: Config, port: number): Config {
  return config.port === port ? config : { ...config, port, rootUrl: config.rootUrl.replace(/:0$/, `:${port}`) };
}

/** Stops listening: open requests are answered, idle connections are closed. */
async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await within(systemClock, CLOSE_MS, closed);
  server.closeAllConnections();
  await closed;
}

const LOOPBACK: ReadonlySet<string | undefined> = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/** Whether this server is calling its own sandbox, whatever address it listens on. */
const isOwnSandbox = ({ url, socket: { remoteAddress, localAddress } }: IncomingMessage) =>
  url!.startsWith('/sandbox/') && (LOOPBACK.has(remoteAddress) || remoteAddress === localAddress);

function refuseNew(res: ServerResponse): void {
  const requestId = randomHex(8);
  const body = JSON.stringify(envelope(new ApiError('http.503'), requestId));
  const headers = {
    'Content-Type': 'application/json',
    'X-Request-ID': requestId,
    'Retry-After': '5',
    Connection: 'close',
  };
  res.writeHead(503, headers).end(body);
}
