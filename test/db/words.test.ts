import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { addEarlierWords, findWords, lacksWords } from '#db/inbox/words.ts';
import { patchMessage } from '#db/inbox/messages.ts';
import { openStore, type Store } from '#db/store/open.ts';
import { migrations } from '#db/migrations/index.ts';
import { authorityOver } from '#kernel/authority.ts';
import { wantedOf } from '#kernel/search/words.ts';
import { describePlaces } from '../harness/stores/stores.ts';

const before = migrations.slice(
  0,
  migrations.findIndex(({ name }) => name === 'search'),
);
const workspace = { id: 'ws', plan: 'free', created_at: 0, brands_count: 0, storage_bytes: 0 };

type Rows = readonly Readonly<Record<string, string | number>>[];

async function add(store: Store, table: string, rows: Rows): Promise<void> {
  for (const row of rows) {
    const names = Object.keys(row).map((name) => sql.ref(name));
    const values = Object.values(row).map((value) => sql.val(value));
    await store.write(({ db }) =>
      sql`insert into ${sql.table(table)} (${sql.join(names)}) values (${sql.join(values)})`.execute(db),
    );
  }
}

const message = (n: number, text: string) => ({
  workspace_id: 'ws',
  account_id: 'acc_1',
  platform_id: `m${n}`,
  conversation_id: 'conv_1',
  direction: 'incoming',
  sender_id: 'fan',
  sender_name: 'Fan',
  text,
  attachments: '[]',
  status: 'received',
  metadata: '{}',
  announced: 1,
  stored_at: 1,
  // Several at one instant.
  created_at: Math.floor(n / 2),
  is_notice: 0,
});

const search = async (store: Store, q: string, limit = 10, from?: Readonly<{ at: number; id: string }>) => {
  const span = { limit, from };
  const asked = { wanted: wantedOf(q)!, kinds: ['messages', 'comments'] as const, accounts: ['acc_1'] };
  return findWords(store, authorityOver('ws'), asked, span);
};

const WORDS = ['red bread', 'rye bread', 'red wine', 'bread, bread', 'red'];

describePlaces('the words of what was stored before', (newPlace) => {
  async function upgraded(): Promise<Store> {
    const place = await newPlace();
    const old = await openStore({ ...place, migrations: before });
    await add(old, 'workspaces', [workspace]);
    await add(
      old,
      'messages',
      WORDS.map((text, n) => message(n, text)),
    );
    await old.close();
    return openStore(place);
  }

  it('are added in steps by a job, and found newest first, page by page', async () => {
    const store = await upgraded();
    const { rows } = await sql<{ key: string }>`select key from jobs where kind = 'read_words'`.execute(store.db);
    expect([rows, await lacksWords(store.db), await search(store, 'red')]).toEqual([[{ key: 'messages' }], true, []]);
    const step = () => store.write(({ db }) => addEarlierWords(db, 'messages', 2));
    expect([await step(), await step(), await step(), await step()]).toEqual([true, true, false, false]);
    expect(await lacksWords(store.db)).toBe(false);
    const all = await search(store, 'red');
    expect(all.map(({ item }) => item)).toEqual(['m4', 'm2', 'm0']);
    const [first] = await search(store, 'bread', 1);
    expect(first).toMatchObject({ item: 'm3', at: 1, account_id: 'acc_1', kind: 'messages' });
    const rest = await search(store, 'bread', 5, { at: first!.at, id: String(first!.nth) });
    expect(rest.map(({ item }) => item)).toEqual(['m1', 'm0']);
    await store.close();
  });

  it('go with what is changed, removed, or of a workspace that is', async () => {
    const store = await upgraded();
    await store.write(({ db }) => addEarlierWords(db, 'messages', 10));
    const key = (n: number) => ({ account_id: 'acc_1', platform_id: `m${n}` });
    await store.write(({ db }) => patchMessage(db, key(0), { text: 'white bread' }));
    await store.write(({ db }) => patchMessage(db, key(1), { text: '', gone_at: 5 }));
    const items = async (q: string) => (await search(store, q)).map(({ item }) => item);
    expect([await items('white'), await items('red'), await items('rye')]).toEqual([['m0'], ['m4', 'm2'], []]);
    await store.write(({ db }) => db.deleteFrom('workspaces').where('id', '=', 'ws').execute());
    expect([await items('white'), await items('red')]).toEqual([[], []]);
    await store.close();
  });
});
