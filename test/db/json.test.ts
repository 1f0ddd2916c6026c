import { sql } from 'kysely';
import { expect, it, test } from 'vitest';
import { insertKey, presentedKey } from '#db/access/keys.ts';
import { insertUser, insertWorkspace } from '#db/access/users.ts';
import type { NewRow, RowPatch } from '#db/schema/database.ts';
import { isSameJson } from '#db/store/json.ts';
import type { Store } from '#db/store/open.ts';
import type { PlanTier } from '#kernel/plans.ts';
import { hasChanged, writing } from '#db/store/statement.ts';
import { describeStores, KINDS } from '../harness/stores/stores.ts';

const KEY = { id: 'key_1', workspace_id: 'ws_1', user_id: 'usr_1', name: 'k', preview: '', is_active: 1 } as const;

async function addKey(store: Store, key: Pick<NewRow<'keys'>, 'scopes' | 'brand_ids'>): Promise<void> {
  const user = { id: 'usr_1', workspace_id: 'ws_1', email: 'a@b.c', name: 'A', onboarding: 0 } as const;
  await store.write(async ({ db }) => {
    await insertWorkspace(db, { id: 'ws_1', plan: 'free', created_at: 0, brands_count: 0, storage_bytes: 0 });
    await insertUser(db, { ...user, lock_accounts_to_brand: 0, created_at: 0 });
    await insertKey(db, { ...KEY, ...key, hash: 'h', created_at: 0 });
  });
}

const writeText = (store: Store, text: string) =>
  store.write(({ db }) =>
    db
      .updateTable('keys')
      .set({ scopes: sql<string[]>`${text}` })
      .execute(),
  );

describeStores('JSON columns', { kinds: KINDS }, ({ open }) => {
  const it = test.extend('store', () => open());

  it('are written and read as values, also by prepared queries', async ({ store }) => {
    const value = { scopes: ['a', "b'\ud800"], brand_ids: [] };
    await addKey(store, value);
    expect(await store.db.selectFrom('keys').selectAll().executeTakeFirst()).toMatchObject(value);
    expect(await store.prepared(presentedKey)({ hash: 'h' })).toMatchObject(value);
    const changed = await store.write(({ db }) =>
      db
        .updateTable('keys')
        .set({ brand_ids: ['x'] })
        .returning(['brand_ids'])
        .execute(),
    );
    expect(changed).toEqual([{ brand_ids: ['x'] }]);
  });

  it('are written by statements that are compiled once, whichever columns they are given', async ({ store }) => {
    await addKey(store, { scopes: ['a'], brand_ids: ['b'] });
    const patching = writing((db, patch: RowPatch<'workspaces'>, slot: { id: string; plan: PlanTier }) =>
      db.updateTable('workspaces').set(patch).where('id', '=', slot.id).where('plan', '=', slot.plan),
    );
    const patch = (columns: RowPatch<'workspaces'>, plan: PlanTier) =>
      store.write(async ({ db }) => hasChanged(await patching(db, columns, { id: 'ws_1', plan })));
    const found = () => store.db.selectFrom('workspaces').select(['plan', 'allowed_platforms']).executeTakeFirst();

    expect(await patch({ allowed_platforms: ['facebook'], plan: 'enterprise' }, 'free')).toBe(true);
    expect(await patch({ allowed_platforms: ['bluesky'], plan: 'enterprise' }, 'free')).toBe(false);
    expect(await found()).toEqual({ plan: 'enterprise', allowed_platforms: ['facebook'] });
    expect(await patch({ allowed_platforms: null, plan: undefined }, 'enterprise')).toBe(true);
    expect(await found()).toEqual({ plan: 'enterprise', allowed_platforms: null });
  });

  it('hold null where there is no value, and rows of one insert differ in that', async ({ store }) => {
    const workspace = { plan: 'free', created_at: 0, brands_count: 0, storage_bytes: 0 } as const;
    await store.write(({ db }) =>
      db
        .insertInto('workspaces')
        .values([
          { id: 'ws_1', ...workspace },
          { id: 'ws_2', ...workspace, allowed_platforms: ['facebook'] },
          { id: 'ws_3', ...workspace, allowed_platforms: null },
        ])
        .execute(),
    );
    const rows = await store.db.selectFrom('workspaces').select('allowed_platforms').orderBy('id').execute();
    expect(rows.map((row) => row.allowed_platforms)).toEqual([null, ['facebook'], null]);
  });

  it('are text, and one that holds something else fails the query', async ({ store }) => {
    await addKey(store, { scopes: ['a'], brand_ids: [] });
    const { rows } = await sql`select scopes as text from keys`.execute(store.db);
    expect(rows).toEqual([{ text: '["a"]' }]);
    await writeText(store, '["a"');
    const keys = store.db.selectFrom('keys').selectAll();
    await expect(keys.execute()).rejects.toThrow(SyntaxError);
    await expect(store.prepared(presentedKey)({ hash: 'h' })).rejects.toThrow(SyntaxError);
  });
});

it('values are the same when they are stored as the same text', () => {
  expect(isSameJson({ a: 1, b: undefined }, { a: 1 })).toBe(true);
  expect(isSameJson(undefined, null)).toBe(true);
  expect(isSameJson({ a: 1 }, { a: 2 })).toBe(false);
});
