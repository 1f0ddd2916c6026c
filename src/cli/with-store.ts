import { openStore } from '#db/store/open.ts';
import { productStore } from '#db/outbox/outbox.ts';
import type { Store } from '#db/store/store.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { ApiError } from '#kernel/errors.ts';
import { checkCanary } from '#compose/keyring.ts';
import { storeOptions } from '#compose/store-options.ts';
import { openWorld, type CliWorld } from './world.ts';

/** Runs a command on the server's store; an ApiError becomes a ConfigError. */
export async function withStore(work: (store: Store, world: CliWorld) => Promise<void>): Promise<void> {
  const world = openWorld({ logTo: process.stderr });
  const bare = await openStore(storeOptions(world.config, world.log));
  try {
    await checkCanary(bare, world.sealer);
    await work(productStore(bare, world.clock), world);
  } catch (error) {
    throw error instanceof ApiError ? new ConfigError(error.message) : error;
  } finally {
    await bare.close();
  }
}
