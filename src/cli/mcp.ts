import { card, skills } from '#compose/package.ts';
import { ApiError } from '#kernel/errors.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { refuseDeciding } from '#serve/mcp/gate.ts';
import { serveStdio } from '#serve/mcp/stdio.ts';
import { withProduct } from './with-product.ts';
import { openWorld, untilStopSignal } from './world.ts';

/** Serves the tools over stdio, with the key in ROSTRA_API_KEY. */
export async function serveMcp(): Promise<void> {
  // Standard output belongs to the protocol.
  const world = openWorld({ logTo: process.stderr });
  const { config } = world;
  if (config.apiKey === undefined)
    throw new ConfigError('ROSTRA_API_KEY is not set; create a key with: rostra key create --name assistant');
  await withProduct(world, async (product) => {
    const identify = async () => {
      const caller = await product.callers.identify(`Bearer ${config.apiKey}`);
      refuseDeciding(caller);
      return caller;
    };
    try {
      await identify();
      await product.enlist();
      // Due work is the server's: a desktop assistant may end this process at any moment.
      await Promise.race([
        serveStdio({
          toolsets: product.toolsets,
          supported: product.supported,
          invoke: product.invoke,
          identify,
          card,
          skills,
        }),
        untilStopSignal(),
      ]);
      await product.stop();
    } catch (error) {
      throw error instanceof ApiError ? new ConfigError(`ROSTRA_API_KEY: ${error.message}`) : error;
    }
  });
  // A signal does not close standard input, which would keep the process alive.
  process.exit(0);
}
