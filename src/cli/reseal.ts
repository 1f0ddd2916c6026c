import { resealRows } from '#db/upkeep/reseal.ts';
import { rehashMigrations } from '#engine/migrations/keys.ts';
import { allHaveKey } from '#engine/jobs/processes.ts';
import { sealAddresses } from '#engine/delivery/seal-addresses.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { withStore } from './with-store.ts';

const STRANGE =
  'a server on this database, perhaps a paused one or a `rostra mcp`, does not have the newest master key, and could not decrypt what is encrypted with it: nothing was changed. Restart every one with the same MASTER_KEY first';

/** Encrypts every stored secret with the newest key of MASTER_KEY. The old key can then be removed. */
export async function reseal(): Promise<void> {
  await withStore(async (store, { sealer }) => {
    if (!(await allHaveKey(store, sealer.keyIds[0]!))) throw new ConfigError(STRANGE);
    const done = (await sealAddresses(store, sealer)) + (await resealRows(store, sealer));
    await rehashMigrations(store, sealer);
    process.stdout.write(`${done} values encrypted with the newest key\n`);
  });
}
