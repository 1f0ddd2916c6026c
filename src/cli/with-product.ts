import { compose, type Product } from '#compose/index.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { ApiError } from '#kernel/errors.ts';
import { makeServer } from '#serve/http/server.ts';
import { listen, type CliWorld } from './world.ts';

/** Opens the product in a process next to the server, on the same store, with a private port. */
export async function withProduct<T>(world: CliWorld, act: (product: Product) => Promise<T>): Promise<T> {
  const { rootUrl } = world.config;
  const ready = Promise.withResolvers<Product>();
  const server = makeServer((req, res) => void ready.promise.then(({ handle }) => handle(req, res)));
  const port = await listen(server, 0, '127.0.0.1');
  // Requests to the server itself are allowed, wherever it runs.
  const trusted = [rootUrl, `http://127.0.0.1:${port}`];
  const product = await compose({ ...world.config, host: '127.0.0.1' }, { ...world, port, trusted });
  ready.resolve(product);
  product.watchPause();
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
