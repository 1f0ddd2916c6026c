import { expect, it } from 'vitest';
import type { NewRow } from '#db/schema/database.ts';
import { resealRows } from '#db/upkeep/reseal.ts';
import { CANARY, SEALED, sealContext } from '#db/schema/sealed.ts';
import { makeSealer, SealError } from '#kernel/seal.ts';
import { checkCanary } from '#compose/keyring.ts';
import { describeStores } from '../../harness/stores/stores.ts';

const OLD = '11'.repeat(32);
const NEW = '22'.repeat(32);

it('is sealed for the same places for ever', () => {
  expect(Object.keys(SEALED).map((table) => sealContext(table as keyof typeof SEALED, 'x_1'))).toEqual([
    'accounts.session.x_1',
    'actions.sealed.x_1',
    'apps.sealed.x_1',
    'choices.sealed.x_1',
    'connects.sealed.x_1',
    'endpoints.secret.x_1',
    'endpoints.credentials.x_1',
    'idempotency.sealed.x_1',
    'invites.sealed.x_1',
    'mails.sealed.x_1',
    'migrations.sealed.x_1',
    'steps.progress.x_1',
    'steps.sealed_result.x_1',
    'oauth_keys.sealed.x_1',
    'subscriptions.secret.x_1',
  ]);
  expect(CANARY.context).toBe('settings.value.canary');
});

describeStores('sealing anew', ({ open }) => {
  it('lets go of the old key once every value is sealed by the new one', async () => {
    const store = await open();
    const old = makeSealer([OLD]);
    await checkCanary(store, old);
    await store.write(async ({ db }) => {
      await db
        .insertInto('workspaces')
        .values({ id: 'ws_1', plan: 'free', created_at: 0, brands_count: 0, storage_bytes: 0 })
        .execute();
      const rows: NewRow<'endpoints'>[] = [];
      for (let n = 0; n < 220; n++) {
        const id = `whk_${String(n).padStart(4, '0')}`;
        const secret = old.seal(`secret ${n}`, `endpoints.secret.${id}`);
        rows.push({
          id,
          workspace_id: 'ws_1',
          url: 'https://example.org',
          secret,
          secret_hint: '',
          is_active: 1,
          slots: 16,
          failing: 0,
          removed_at: null,
          created_at: 0,
          updated_at: 0,
        });
      }
      await db.insertInto('endpoints').values(rows).execute();
    });

    expect(await resealRows(store, makeSealer([NEW, OLD]))).toBe(221);
    expect(await resealRows(store, makeSealer([NEW, OLD]))).toBe(0);

    const fresh = makeSealer([NEW]);
    await expect(checkCanary(store, fresh)).resolves.toBeUndefined();
    await expect(checkCanary(store, old)).rejects.toThrow('does not open this database');
    const rows = await store.db.selectFrom('endpoints').select(['id', 'secret']).execute();
    expect(rows.map(({ id, secret }) => fresh.open(secret, `endpoints.secret.${id}`)).at(219)).toMatch(/^secret /);
    expect(() => old.open(rows[0]!.secret, `endpoints.secret.${rows[0]!.id}`)).toThrow(SealError);
  });
});
