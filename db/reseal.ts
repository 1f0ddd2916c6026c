import type { Sealer } from '../src/kernel/seal.ts';
import type { Store } from './open.ts';

const STEP = 200;

/** Every column that holds sealed texts, with the place each of them is sealed for. */
const SEALED = Object.freeze([
  { table: 'accounts', column: 'session', key: 'id', place: (id: string) => `accounts.session.${id}` },
  { table: 'choices', column: 'sealed', key: 'id', place: (id: string) => `choices.sealed.${id}` },
  { table: 'connects', column: 'sealed', key: 'id', place: (id: string) => `connects.sealed.${id}` },
  { table: 'endpoints', column: 'secret', key: 'id', place: (id: string) => `endpoints.secret.${id}` },
  { table: 'idempotency', column: 'sealed', key: 'id', place: (id: string) => `idempotency.sealed.${id}` },
  { table: 'oauth_keys', column: 'sealed', key: 'kid', place: (kid: string) => `oauth_keys.sealed.${kid}` },
] as const);

/** Seals anew what an older key sealed, some rows per transaction; answers how many values it was. */
export async function resealRows(store: Store, sealer: Sealer): Promise<number> {
  let done = await resealCanary(store, sealer);
  for (const { table, column, key, place } of SEALED) {
    let after = '';
    for (;;) {
      const rows = await store.db
        .selectFrom(table)
        .select([`${key} as id`, `${column} as sealed`])
        .where(key, '>', after)
        .orderBy(key)
        .limit(STEP)
        .$castTo<{ id: string; sealed: string }>()
        .execute();
      const old = rows.filter(({ sealed }) => !sealer.isNewest(sealed));
      const fresh = old.map(({ id, sealed }) => ({
        id,
        sealed,
        again: sealer.seal(sealer.open(sealed, place(id)), place(id)),
      }));
      await store.write(async (tx) => {
        for (const { id, sealed, again } of fresh) {
          // A value that changed meanwhile was sealed by the newest key.
          const patch = { [column]: again };
          await tx.db
            .updateTable(table)
            .set(patch)
            .where(key, '=', id)
            .where(column as never, '=', sealed as never)
            .execute();
        }
      });
      done += fresh.length;
      if (rows.length < STEP) break;
      after = rows.at(-1)!.id;
    }
  }
  return done;
}

async function resealCanary(store: Store, sealer: Sealer): Promise<number> {
  const row = await store.db.selectFrom('settings').select('value').where('name', '=', 'canary').executeTakeFirst();
  if (!row || sealer.isNewest(row.value)) return 0;
  const place = 'settings.value.canary';
  const value = sealer.seal(sealer.open(row.value, place), place);
  await store.write((tx) => tx.db.updateTable('settings').set({ value }).where('name', '=', 'canary').execute());
  return 1;
}
