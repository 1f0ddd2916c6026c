import { compose } from '../compose/index.ts';
import { card } from '../compose/package.ts';
import { ApiError } from '../kernel/errors.ts';
import { ConfigError } from '../kernel/config/config.ts';
import { makeServer } from '../serve/http/server.ts';
import { serveStdio } from '../serve/mcp/stdio.ts';
import { listen, openWorld, untilStopSignal } from './world.ts';

/** Serves the tools over standard input and output, as the owner of the key in ROSTRA_API_KEY. */
export async function serveMcp(): Promise<void> {
  // Standard output belongs to the protocol.
  const world = openWorld({ logTo: process.stderr });
  const { config } = world;
  if (config.apiKey === undefined)
    throw new ConfigError('ROSTRA_API_KEY is not set; create a key with: rostra key create --name assistant');
  // The twins of the sandbox are reached over HTTP; only this process knows the port.
  const ready = Promise.withResolvers<Awaited<ReturnType<typeof compose>>>();
  const server = makeServer((req, res) => void ready.promise.then(({ handle }) => handle(req, res)));
  const port = await listen(server, 0, '127.0.0.1');
  const product = await compose(config, { ...world, port });
  ready.resolve(product);
  try {
    const identify = () => product.callers.identify(`Bearer ${config.apiKey}`);
    await identify();
    // The server does what is due later; a desktop assistant may end this process at any moment.
    await Promise.race([
      serveStdio({
        toolsets: product.toolsets,
        supported: product.supported,
        invoke: product.invoke,
        identify,
        card,
      }),
      untilStopSignal(),
    ]);
    await product.stop();
  } catch (error) {
    throw error instanceof ApiError ? new ConfigError(`ROSTRA_API_KEY: ${error.message}`) : error;
  } finally {
    server.closeAllConnections();
    server.close();
    await product.close();
  }
  // A signal leaves standard input open, which would keep the process alive.
  process.exit(0);
}
