import { sql, type CompiledQuery } from 'kysely';
import { expect, it } from 'vitest';
import { migrations } from '#db/migrations/index.ts';
import { openStore, type Store } from '#db/store/open.ts';
import { listUnanswered, UNANSWERED_KINDS, type UnansweredKind } from '#db/inbox/unanswered.ts';
import type { Database } from '#db/schema/database.ts';
import { builderOn } from '#db/store/builder.ts';
import { authorityOver } from '#kernel/authority.ts';
import { describePlaces, describeStores } from '../harness/stores/stores.ts';

const before = migrations.slice(0, 25);

type Cell = string | number | null;

async function add(store: Store, table: string, rows: readonly Readonly<Record<string, Cell>>[]): Promise<void> {
  for (const row of rows) {
    const names = Object.keys(row).map((name) => sql.ref(name));
    const values = Object.values(row).map((value) => sql.val(value));
    await store.write(({ db }) =>
      sql`insert into ${sql.table(table)} (${sql.join(names)}) values (${sql.join(values)})`.execute(db),
    );
  }
}

const owner = { workspace_id: 'ws', account_id: 'acc' };
const workspace = { id: 'ws', plan: 'free', created_at: 0, brands_count: 0, storage_bytes: 0 };

const conversation = (id: string) => ({
  ...owner,
  id,
  platform_id: id,
  participant_id: 'fan',
  participant_name: 'Fan',
  status: 'active',
  unread_count: 0,
  last_message: '',
  last_message_at: 1,
  metadata: '{}',
  created_at: 1,
  updated_at: 1,
});

const message = (id: string, conversation_id: string, more: Readonly<Record<string, Cell>>) => ({
  ...owner,
  platform_id: id,
  conversation_id,
  direction: 'incoming',
  sender_id: 'fan',
  sender_name: 'Fan',
  text: id,
  attachments: '[]',
  status: 'received',
  metadata: '{}',
  announced: 1,
  stored_at: 1,
  created_at: 1,
  is_notice: 0,
  ...more,
});

const comment = (id: string, more: Readonly<Record<string, Cell>> = {}) => ({
  ...owner,
  platform_id: id,
  platform_post_id: 'post',
  author: '{}',
  is_owner: 0,
  text: id,
  media: '[]',
  like_count: 0,
  reply_count: 0,
  is_hidden: 0,
  is_liked: 0,
  capabilities: '{"can_reply":true,"can_private_reply":false}',
  metadata: '{}',
  created_at: 1,
  announced: 1,
  ...more,
});

const mention = (id: string, more: Readonly<Record<string, Cell>> = {}) => ({
  ...owner,
  platform_id: id,
  platform_post_id: `post of ${id}`,
  mention_type: 'post',
  author: '{}',
  text: id,
  media: '[]',
  created_at: 1,
  announced: 1,
  ...more,
});

const send = (id: string, kind: string, place: object) => ({
  ...owner,
  id,
  kind,
  hash: id,
  status: 'done',
  ask: JSON.stringify({ place, content: 'half a pair: \ud83d' }),
  parts: '[]',
  unheard: 0,
  lease_until: 0,
  created_at: 1,
  updated_at: 1,
});

const ours = { is_owner: 1 };
const outgoing = { direction: 'outgoing', status: 'sent' };

describePlaces('the migration that knows what was answered', (newPlace) => {
  it('reads it from what is stored', async () => {
    const place = await newPlace();
    const old = await openStore({ ...place, migrations: before });
    await add(old, 'workspaces', [workspace]);
    await add(old, 'conversations', ['asked', 'told', 'noted', 'empty'].map(conversation));
    await add(old, 'messages', [
      message('m1', 'asked', { ...outgoing }),
      message('m2', 'asked', { created_at: 2 }),
      message('m3', 'asked', { ...outgoing, created_at: 3, gone_at: 4 }),
      message('m4', 'told', {}),
      message('m5', 'told', { ...outgoing, created_at: 2 }),
      message('m6', 'noted', { ...outgoing }),
      message('m7', 'noted', { created_at: 2, is_notice: 1 }),
    ]);
    await add(old, 'comments', [
      comment('replied'),
      comment('our reply', { ...ours, parent_id: 'replied' }),
      comment('taken back'),
      comment('our lost reply', { ...ours, parent_id: 'taken back', gone_at: 5 }),
      comment('discussed'),
      comment('their reply', { parent_id: 'discussed' }),
      comment('in private'),
    ]);
    await add(old, 'mentions', [
      mention('in a comment', { platform_post_id: 'post', comment_id: 'replied' }),
      mention('answered'),
      mention('open'),
    ]);
    await add(old, 'sends', [
      send('s1', 'private_reply', { post: 'post', comment: 'in private' }),
      send('s2', 'mention_reply', { post: 'post of answered' }),
      send('s3', 'dm', { post: 'post of open' }),
    ]);
    await old.close();

    const store = await openStore(place);
    const { db } = store;
    const threads = await db.selectFrom('conversations').select(['id', 'last_message_direction']).execute();
    expect(Object.fromEntries(threads.map((row) => [row.id, row.last_message_direction]))).toEqual({
      asked: 'incoming',
      told: 'outgoing',
      noted: 'outgoing',
      empty: null,
    });
    const answered = async (table: 'comments' | 'mentions') => {
      const rows = await db.selectFrom(table).select('platform_id').where('is_answered', '<>', 0).execute();
      return rows.map(({ platform_id }) => platform_id).sort();
    };
    expect(await answered('comments')).toEqual(['in private', 'replied']);
    expect(await answered('mentions')).toEqual(['answered', 'in a comment']);
    await store.close();
  });
});

const account = (id: string) => ({
  id,
  workspace_id: 'ws',
  brand_id: id,
  platform: 'twitter',
  network: 'real',
  platform_user_id: id,
  username: id,
  name: id,
  status: 'active',
  session: '',
  metadata: '{}',
  created_at: 1,
  updated_at: 1,
  refresh_at: 0,
});

/** A workspace with accounts, each in a brand of its own. */
async function addAccounts(store: Store, ids: readonly string[]): Promise<void> {
  await add(store, 'workspaces', [workspace]);
  await add(
    store,
    'brands',
    ids.map((id) => ({ id, workspace_id: 'ws', name: id, created_at: 1, updated_at: 1 })),
  );
  await add(store, 'accounts', ids.map(account));
}

const TABLES = { conversation: 'conversations', comment: 'comments', review: 'reviews', mention: 'mentions' } as const;

/** What `explain (analyze, format json)` says of a step. */
type PlanStep = Readonly<{
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: readonly PlanStep[];
}>;

const stepsOf = (step: PlanStep): readonly PlanStep[] => [step, ...(step.Plans ?? []).flatMap(stepsOf)];

describeStores('a page of what waits for an answer', { kinds: ['postgres'] }, (stores) => {
  it.for(UNANSWERED_KINDS)('is all that is read of an account that has more: %s', async (kind) => {
    const store = await stores.open();
    const table = TABLES[kind];
    await addAccounts(store, ['busy', 'calm']);
    const review = {
      ...owner,
      platform_id: 'x',
      rating: 5,
      author: '{}',
      text: '',
      media: '[]',
      created_at: 1,
      updated_at: 1,
      announced: 1,
    };
    const thread = { ...conversation('x'), last_message_direction: 'incoming' };
    const row = { conversation: thread, comment: comment('x'), review, mention: mention('x') }[kind];
    await add(store, table, [{ ...row, account_id: 'busy' }]);
    const names = Object.keys(row).map((name) => sql.ref(name));
    const varied = Object.keys(row).map((name) => {
      if (name === 'id' || name === 'platform_id') return sql`${name} || n`;
      // Rows are as wide as real ones.
      if (name === 'text' || name === 'last_message') return sql`repeat('word ', 100)`;
      return name === 'created_at' || name === 'last_message_at' ? sql`n` : sql.ref(name);
    });
    await store.write(async ({ db }) => {
      await sql`insert into ${sql.table(table)} (${sql.join(names)})
        select ${sql.join(varied)} from ${sql.table(table)}, generate_series(1, 6000) as n`.execute(db);
      await sql`analyze ${sql.table(table)}`.execute(db);
    });
    const asked: CompiledQuery[] = [];
    const db = builderOn<Database>('postgres', async (query) => {
      asked.push(query);
      return { rows: [] };
    });
    const from = { at: 2_000, accountId: '', id: '' };
    const span = { accounts: ['busy', 'calm'], since: -1, from, limit: 25 };
    await listUnanswered({ db, dialect: 'postgres' }, authorityOver('ws'), kind, span);
    const [query] = asked;
    const explained = { ...query!, sql: `explain (analyze, format json) ${query!.sql}` };
    const { rows } = await store.db.executeQuery<{ 'QUERY PLAN': readonly [{ Plan: PlanStep }] }>(explained);
    const read = stepsOf(rows[0]!['QUERY PLAN'][0].Plan).filter((step) => step['Relation Name'] === table);
    expect(read.map((step) => step['Node Type'])).not.toContain('Seq Scan');
    for (const step of read) {
      expect(step['Actual Rows']).toBeLessThanOrEqual(26);
      expect(step['Rows Removed by Filter'] ?? 0).toBe(0);
    }
    expect(read.length).toBeGreaterThan(1);
  });
});

describeStores('a page of what waits for an answer', (stores) => {
  it('goes on behind a place in it, whichever accounts are busy', async () => {
    const store = await stores.open();
    const accounts = ['busy', 'calm', 'mute'];
    await addAccounts(store, accounts);
    const at = (account_id: string, created_at: number) => ({ account_id, created_at });
    await add(store, 'comments', [
      ...[9, 8, 8, 6, 5].map((time, index) => comment(`b${index}`, at('busy', time))),
      ...[8, 2, 2].map((time, index) => comment(`c${index}`, at('calm', time))),
      comment('hidden', { ...at('busy', 9), is_hidden: 1 }),
      comment('gone', { ...at('busy', 9), gone_at: 9 }),
      comment('answered', { ...at('busy', 9), is_answered: 1 }),
      comment('closed', { ...at('busy', 9), capabilities: '{"can_reply":false,"can_private_reply":false}' }),
    ]);
    await add(store, 'mentions', [mention('m0', { ...at('calm', 3), comment_id: 'c9' })]);
    await add(store, 'conversations', [
      { ...conversation('waits'), account_id: 'busy', last_message_at: 4, last_message_direction: 'incoming' },
      { ...conversation('told'), account_id: 'busy', last_message_at: 5, last_message_direction: 'outgoing' },
    ]);
    const page = async (kind: UnansweredKind, limit: number, more: object = {}) => {
      const from = { at: Number.MAX_SAFE_INTEGER, accountId: '', id: '' };
      const rows = await listUnanswered(store, authorityOver('ws'), kind, {
        accounts,
        since: -1,
        from,
        limit,
        ...more,
      });
      return rows.map(({ platform_id }) => platform_id);
    };
    const all = ['b0', 'c0', 'b2', 'b1', 'b3', 'b4', 'c2', 'c1'];
    for (const limit of [1, 2, 3, 8]) expect(await page('comment', limit)).toEqual(all.slice(0, limit + 1));
    const from = { at: 8, accountId: 'busy', id: 'b2' };
    for (const limit of [1, 2, 8]) expect(await page('comment', limit, { from })).toEqual(all.slice(3, 4 + limit));
    expect(await page('comment', 8, { since: 5 })).toEqual(all.slice(0, 5));
    expect(await page('comment', 8, { accounts: ['calm', 'mute'] })).toEqual(['c0', 'c2', 'c1']);
    expect([await page('mention', 8), await page('conversation', 8), await page('review', 8)]).toEqual([
      ['m0'],
      ['waits'],
      [],
    ]);
  });
});
