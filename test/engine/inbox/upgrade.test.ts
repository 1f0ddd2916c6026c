import { expect, it } from 'vitest';
import { insertAccount } from '#db/access/accounts.ts';
import { migrations } from '#db/migrations/index.ts';
import { NEVER } from '#db/schema/database.ts';
import { describeStores } from '../../harness/stores/stores.ts';

const before = migrations.filter(({ version }) => version < 4);

describeStores(
  'an account that was connected before there was an inbox',
  { migrations: before, kinds: ['file', 'postgres'] },
  (stores) => {
    it('is welcomed and looked after when the store is migrated', async () => {
      const place = await stores.place();
      const old = await stores.open(place);
      await old.write(async ({ db }) => {
        const at = { created_at: 1, updated_at: 1 };
        const workspace = { id: 'ws_1', plan: 'free', created_at: 1, brands_count: 1, storage_bytes: 0 } as const;
        await db.insertInto('workspaces').values(workspace).execute();
        await db
          .insertInto('brands')
          .values({ id: 'brd_1', workspace_id: 'ws_1', name: 'B', ...at })
          .execute();
        await insertAccount(db, {
          id: 'acc_1',
          workspace_id: 'ws_1',
          brand_id: 'brd_1',
          platform: 'bluesky',
          network: 'real',
          platform_user_id: 'did:1',
          name: 'A',
          username: 'a',
          status: 'active',
          metadata: {},
          session: '',
          refresh_at: NEVER,
          lease_until: 0,
          ...at,
        });
      });
      await old.close();
      const store = await stores.open({ ...place, migrations });
      const jobs = await store.db.selectFrom('jobs').select(['kind', 'key', 'run_at']).orderBy('kind').execute();
      expect(jobs).toEqual([
        { kind: 'poll_inbox', key: 'acc_1', run_at: 0 },
        { kind: 'welcome_account', key: 'acc_1', run_at: 0 },
      ]);
      const accounts = await store.db.selectFrom('accounts').select(['id', 'connected_at']).execute();
      expect(accounts).toEqual([{ id: 'acc_1', connected_at: 1 }]);
    });
  },
);
