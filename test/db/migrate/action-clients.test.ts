import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrations } from '#db/migrations/index.ts';
import { openStore } from '#db/store/open.ts';
import { describePlaces } from '../../harness/stores/stores.ts';

const before = migrations.slice(
  0,
  migrations.findIndex(({ name }) => name === 'action-clients'),
);

const action = (id: string) => sql`insert into actions
  (id, workspace_id, connection_id, user_id, tool, facade, act, state, digest, sealed, reasons, account_ids, brand_ids,
    expires_at, created_at)
  values (${id}, 'ws', 'con', 'usr', 'create_post', 'rest', 'post', 'held', '', '', '[]', '[]', '[]', 2, 1)`;

type Who = readonly [kind: string, client: string];

const audit = (
  id: string,
  at: number,
  verdict: string,
  [kind, client]: Who,
  action_id: string | null,
) => sql`insert into audit
  (id, workspace_id, at, caller_kind, client, facade, request_id, tool, verdict, args, action_id)
  values (${id}, 'ws', ${at}, ${kind}, ${client}, 'rest', '', 'create_post', ${verdict}, '{}', ${action_id})`;

describePlaces('the names of the apps and keys that asked before they were stored', (newPlace) => {
  it('are those of the first request in the audit, where apps have the id of their client', async () => {
    const place = await newPlace();
    const old = await openStore({ ...place, migrations: before });
    const workspace = sql`insert into workspaces (id, plan, created_at, brands_count, storage_bytes)
      values ('ws', 'free', 0, 0, 0)`;
    const app = sql`insert into oauth_clients (id, name, redirect_uris, address, created_at)
      values ('client_1', 'Claude', '[]', '', 0)`;
    await old.write(async ({ db }) => {
      await workspace.execute(db);
      await app.execute(db);
      for (const id of ['act_1', 'act_2', 'act_3']) await action(id).execute(db);
      await audit('aud_1', 1, 'allow', ['dashboard', 'Owner'], 'act_1').execute(db);
      await audit('aud_2', 3, 'hold', ['key', 'Renamed'], 'act_1').execute(db);
      await audit('aud_3', 2, 'hold', ['key', 'Robot'], 'act_1').execute(db);
      await audit('aud_4', 2, 'hold', ['oauth', 'client_1'], 'act_2').execute(db);
      await audit('aud_5', 2, 'hold', ['key', 'Refused'], null).execute(db);
      await audit('aud_6', 2, 'expired', ['server', 'nobody'], 'act_3').execute(db);
    });
    await old.close();
    const store = await openStore(place);
    const found = await store.db.selectFrom('actions').select(['id', 'client']).orderBy('id').execute();
    await store.close();
    expect(found).toEqual([
      { id: 'act_1', client: 'Robot' },
      { id: 'act_2', client: 'Claude' },
      { id: 'act_3', client: null },
    ]);
  });
});
