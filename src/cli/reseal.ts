import { resealRows } from '#db/upkeep/reseal.ts';
import { rehashMigrations } from '#engine/migrations/keys.ts';
import { sealAddresses } from '#engine/delivery/seal-addresses.ts';
import { withStore } from './with-store.ts';

/** Reseals every secret with the newest key of MASTER_KEY; then the old one can be removed. */
export async function reseal(): Promise<void> {
  await withStore(async (store, { sealer }) => {
    const done = (await sealAddresses(store, sealer)) + (await resealRows(store, sealer));
    await rehashMigrations(store, sealer);
    process.stdout.write(`${done} values sealed with the newest key\n`);
  });
}
