import { randomHex } from '#kernel/ids.ts';
import { opens, type Sealer } from '#kernel/seal.ts';
import { CANARY, sealContext, sealJson, sealLost, type SealedName } from '../schema/sealed.ts';
import { writeSetting } from '../store/settings.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tx.ts';
import { sealedRows } from './sealed-rows.ts';

const SECRET_BYTES = 32;

type ForgetDeps = Readonly<{ sealer: Sealer; now: number }>;
type Forget = (db: Db, ids: readonly string[], deps: ForgetDeps) => Promise<unknown>;

/** For rows that are useless without their encrypted value. */
const deleted =
  (name: 'apps' | 'choices' | 'connects' | 'idempotency' | 'invites' | 'mails' | 'migrations'): Forget =>
  (db, ids) =>
    db.deleteFrom(name).where('id', 'in', ids).execute();

/** For values that are encrypted for one row, and so changed one by one. */
const each =
  (one: (db: Db, id: string, deps: ForgetDeps) => Promise<unknown>): Forget =>
  async (db, ids, deps) => {
    for (const id of ids) await one(db, id, deps);
  };

/** What happens to rows whose encrypted values cannot be read any more. */
const FORGET: Readonly<Record<SealedName, Forget>> = Object.freeze({
  accounts: each((db, id, { sealer, now }) =>
    db
      .updateTable('accounts')
      .set({
        session: sealJson(sealer, {}, 'accounts', id),
        status: 'reconnect_required',
        reconnect_reason: 'The master key of the server was lost, and the access with it.',
        updated_at: now,
      })
      .where('id', '=', id)
      .execute(),
  ),
  actions: each(async (db, id, { sealer, now }) => {
    await db
      .updateTable('actions')
      .set({ sealed: sealJson(sealer, { input: {} }, 'actions', id) })
      .where('id', '=', id)
      .execute();
    await db
      .updateTable('actions')
      .set({ state: 'expired', open_key: null, finished_at: now })
      .where('id', '=', id)
      .where('state', 'in', ['held', 'approved', 'running'])
      .execute();
  }),
  apps: deleted('apps'),
  choices: deleted('choices'),
  connects: deleted('connects'),
  endpoints: each((db, id, { sealer, now }) =>
    db
      .updateTable('endpoints')
      .set({
        secret: sealer.seal(randomHex(SECRET_BYTES), sealContext('endpoints', id)),
        is_active: 0,
        updated_at: now,
      })
      .where('id', '=', id)
      .execute(),
  ),
  endpoint_credentials: (db, ids) =>
    db.updateTable('endpoints').set({ credentials: null }).where('id', 'in', ids).execute(),
  idempotency: deleted('idempotency'),
  invites: deleted('invites'),
  mails: deleted('mails'),
  migrations: deleted('migrations'),
  // What a step left on the platform is still known, but not the progress it needs to continue.
  steps: (db, ids) => db.updateTable('steps').set({ progress: null }).where('target_id', 'in', ids).execute(),
  // The step counts as done and is not repeated. A target that needs its result later fails.
  step_results: each((db, id, { sealer }) =>
    db
      .updateTable('steps')
      .set({ sealed_result: sealLost(sealer, 'step_results', id) })
      .where('target_id', '=', id)
      .where('sealed_result', 'is not', null)
      .execute(),
  ),
  oauth_keys: (db, ids) => db.deleteFrom('oauth_keys').where('kid', 'in', ids).execute(),
  subscriptions: (db, ids) => db.deleteFrom('subscriptions').where('account_id', 'in', ids).execute(),
});

/** Gives up all encrypted values that no known key opens. Returns how many rows of each table were affected. */
export async function forgetSealed(store: Store, deps: ForgetDeps): Promise<ReadonlyMap<SealedName, number>> {
  const forgotten = new Map<SealedName, number>();
  for (const name of Object.keys(FORGET) as SealedName[]) {
    const count = await forgetTable(store, name, deps);
    if (count > 0) forgotten.set(name, count);
  }
  // Write this last, so that an interrupted run is repeated.
  await store.write((tx) => writeSetting(tx.db, CANARY.name, deps.sealer.seal(CANARY.name, CANARY.context)));
  return forgotten;
}

async function forgetTable(store: Store, name: SealedName, deps: ForgetDeps): Promise<number> {
  let count = 0;
  for await (const rows of sealedRows(store.db, name)) {
    const lost = new Set(
      rows.filter(({ id, sealed }) => !opens(deps.sealer, sealed, sealContext(name, id))).map(({ id }) => id),
    );
    if (lost.size > 0) await store.write((tx) => FORGET[name](tx.db, [...lost], deps));
    count += lost.size;
  }
  return count;
}
