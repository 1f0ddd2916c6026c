import { addressesToSeal, sealAddress } from '#db/delivery/endpoints.ts';
import type { Store } from '#db/store/open.ts';
import type { Sealer } from '#kernel/seal.ts';
import { sealCredentials, splitAddress } from './address.ts';

/** Encrypts the credentials in stored URLs; returns how many it encrypted, which is 0 after the first run. */
export async function sealAddresses(store: Store, sealer: Sealer): Promise<number> {
  let done = 0;
  for (const { id, url } of await addressesToSeal(store.db)) {
    const address = splitAddress(url);
    if (typeof address.credentials !== 'object') continue;
    const patch = { url: address.url, credentials: sealCredentials(sealer, id, address.credentials) };
    await store.write((tx) => sealAddress(tx.db, tx.dialect, { id, url }, patch));
    done += 1;
  }
  return done;
}
