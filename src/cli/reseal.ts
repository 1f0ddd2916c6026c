import { openStore } from '../../db/open.ts';
import { resealRows } from '../../db/reseal.ts';
import { placeOf } from '../places.ts';
import { checkCanary } from '../keyring.ts';
import { openWorld } from './world.ts';

/** Seals every stored secret with the newest key of MASTER_KEY; afterwards the old one can be left out. */
export async function reseal(): Promise<void> {
  const { config, log, sealer } = openWorld({ logTo: process.stderr });
  const store = await openStore(placeOf(config, log));
  try {
    await checkCanary(store, sealer);
    const done = await resealRows(store, sealer);
    process.stdout.write(`${done} values sealed with the newest key\n`);
  } finally {
    await store.close();
  }
}
