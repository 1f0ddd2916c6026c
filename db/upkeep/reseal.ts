import type { Sealer } from '#kernel/seal.ts';
import type { Store } from '../store/open.ts';
import { CANARY, SEALED, sealContext, sealedTable, type SealedName } from '../schema/sealed.ts';
import { readSetting } from '../store/settings.ts';
import { sealedRows } from './sealed-rows.ts';

/** Encrypts values of older keys with the newest one, in several transactions. Returns how many. */
export async function resealRows(store: Store, sealer: Sealer): Promise<number> {
  let done = await resealCanary(store, sealer);
  for (const name of Object.keys(SEALED) as SealedName[]) {
    const { column, key } = SEALED[name];
    for await (const rows of sealedRows(store.db, name)) {
      const old = rows.filter(({ sealed }) => !sealer.isNewest(sealed));
      const fresh = old.map(({ id, sealed }) => ({
        id,
        sealed,
        again: reseal(sealer, sealed, sealContext(name, id)),
      }));
      await store.write(async (tx) => {
        for (const { id, sealed, again } of fresh) {
          // If the value has changed in the meantime, the newest key has already encrypted it.
          const patch = { [column]: again };
          await tx.db
            .updateTable(sealedTable(name))
            .set(patch)
            .where(key, '=', id)
            .where(column as never, '=', sealed as never)
            .execute();
        }
      });
      done += fresh.length;
    }
  }
  return done;
}

async function resealCanary(store: Store, sealer: Sealer): Promise<number> {
  const { name, context } = CANARY;
  const sealed = await readSetting(store.db, name);
  if (sealed === undefined || sealer.isNewest(sealed)) return 0;
  const value = reseal(sealer, sealed, context);
  await store.write((tx) => tx.db.updateTable('settings').set({ value }).where('name', '=', name).execute());
  return 1;
}

function reseal(sealer: Sealer, sealed: string, context: string): string {
  return sealer.seal(sealer.open(sealed, context), context);
}
