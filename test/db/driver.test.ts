import { statSync } from 'node:fs';
import { Socket } from 'node:net';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { changesCallers } from '#db/store/postgres/driver.ts';
import { openStore, type Store, type Tx } from '#db/store/open.ts';
import { cacheStatements } from '#db/store/sqlite/handle.ts';
import { statement } from '#db/store/statement.ts';
import { StoreError } from '#db/store/store-error.ts';
import { migratedImage } from '../harness/stores/images.ts';
import { describeStores, KINDS } from '../harness/stores/stores.ts';
import {
  addNote,
  addNotes,
  countsOf,
  increment,
  noteIds,
  tables,
  testMigrations,
} from '../harness/stores/test-tables.ts';

afterEach(() => void vi.restoreAllMocks());

/** Reads, then writes: what fails when a transaction begins as a reader. */
const readAndIncrement = async (tx: Tx) => {
  await tables(tx).selectFrom('notes').select('count').where('id', '=', 'a').executeTakeFirstOrThrow();
  await increment(tx);
};

describeStores('a store', { migrations: testMigrations, kinds: KINDS }, ({ open, kind }) => {
  const it = test.extend('store', () => open());

  it('answers numbers as numbers and truth as 0 and 1', async ({ store }) => {
    const at = 8_640_000_000_000_000;
    const notes = [
      { id: 'a', text: '', count: 2, at },
      { id: 'b', text: '', count: 3, at: -1 },
    ];
    await store.write((tx) => tables(tx).insertInto('notes').values(notes).execute());
    const row = await tables(store)
      .selectFrom('notes')
      .select((eb) => [
        eb.fn.countAll().as('all'),
        eb.fn.sum('count').as('sum'),
        eb.fn.max('at').as('last'),
        eb.fn.avg('count').as('mean'),
        eb.exists(eb.selectFrom('notes').select('id').where('id', '=', 'a')).as('found'),
        sql`${1} = ${2}`.as('same'),
      ])
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ all: 2, sum: 5, last: at, mean: 2.5, found: 1, same: 0 });
  });

  it('takes an integer as an integer', async ({ store }) => {
    await store.write((tx) => addNote(tx, 'a'));
    await store.write((tx) => tables(tx).updateTable('notes').set({ at: 1_700_000_000_123 }).execute());
    const day = await tables(store)
      .selectFrom('notes')
      .select(sql<number>`at / ${86_400_000}`.as('day'))
      .executeTakeFirstOrThrow();
    expect(day).toEqual({ day: 19_675 });
  });

  it('keeps text as it was given', async ({ store }) => {
    const text = 'Zoë 👩‍👩‍👧 "\'%_\\ ﷺ\n';
    await store.write((tx) => addNote(tx, 'a', text));
    expect(await tables(store).selectFrom('notes').select('text').executeTakeFirst()).toEqual({ text });
  });

  it('orders ids by their bytes', async ({ store }) => {
    await addNotes(store, 'b', 'a_1', 'B', 'a', 'ä', 'a1', '_');
    expect(await noteIds(store)).toEqual(['B', '_', 'a', 'a1', 'a_1', 'b', 'ä']);
  });

  it('says how many rows changed', async ({ store }) => {
    const changed = await store.write(async (tx) => {
      await addNote(tx, 'a');
      await addNote(tx, 'b');
      const result = await tables(tx).updateTable('notes').set({ text: 'x' }).executeTakeFirst();
      const gone = await tables(tx).deleteFrom('notes').where('id', '=', 'a').executeTakeFirst();
      return [result.numUpdatedRows, gone.numDeletedRows];
    });
    expect(changed).toEqual([2n, 1n]);
  });

  it.runIf(kind === 'postgres')('sends the queries of one turn in one packet', async ({ store }) => {
    await addNotes(store, 'first');
    const writes = (['_write', '_writev'] as const).map((name) => vi.spyOn(Socket.prototype, name));
    await store.write((tx) => Promise.all([addNote(tx, 'a'), addNote(tx, 'b')]));
    // One for the beginning and both queries, and one for the commit.
    expect(writes.flatMap(({ mock }) => mock.calls).length).toBe(2);
  });

  it('does not write through store.db', async ({ store }) => {
    const db = tables(store);
    const insert = db.insertInto('notes').values({ id: 'a', text: '', count: 0, at: 0 });
    await expect(insert.execute()).rejects.toThrow(/only reads|read-only/);
    await expect(insert.returning('id').execute()).rejects.toThrow(/only reads|read-only/);
    await expect(sql`delete from notes`.execute(db)).rejects.toThrow(/only reads|read-only/);
    expect(await noteIds(store)).toEqual([]);
  });

  it('opens no transaction and no connection by other means', async ({ store }) => {
    const refused = 'connections and transactions are opened by store.write alone';
    await expect(store.db.transaction().execute(async () => {})).rejects.toThrow(refused);
    await expect(store.write((tx) => tx.db.transaction().execute(async () => {}))).rejects.toThrow(refused);
    await expect(store.db.destroy()).rejects.toThrow(refused);
  });

  it('goes on with a statement whose result a migration of a newer process has changed', async ({ store }) => {
    const notes = (from: Store | Tx) => tables(from).selectFrom('notes').selectAll();
    const repeated = statement((db) => notes({ db } as Tx));
    const prepared = store.preparedAll((db) => notes({ db } as Tx));
    const ask = async () => [
      await prepared({}),
      (await repeated(store.db, {})).rows,
      (await store.write((tx) => repeated(tx.db, {}))).rows,
    ];
    await store.write((tx) => addNote(tx, 'a'));
    expect(await ask()).toEqual(await ask());
    for (const more of ['one', 'two', 'three']) {
      await store.write((tx) => sql`alter table notes add column ${sql.ref(more)} integer`.execute(tx.db));
      for (const rows of await ask()) expect(rows).toMatchObject([{ id: 'a', [more]: null }]);
    }
  });

  it('runs a prepared query with parameters', async ({ store }) => {
    await store.write(async (tx) => {
      await addNote(tx, 'a', 'one');
      await addNote(tx, 'b', 'two');
    });
    const find = store.prepared((_, slot: { id: string; count: number }) =>
      tables(store)
        .selectFrom('notes')
        .select(['id', 'text'])
        .where('id', '=', slot.id)
        .where('count', '=', slot.count)
        .where('at', '=', 0),
    );
    const found = await Promise.all([
      find({ id: 'b', count: 0 }),
      find({ id: 'a', count: 0 }),
      find({ id: 'a', count: 1 }),
      find({ count: 0, id: "a' or 1=1 --" }),
    ]);
    expect(found).toEqual([{ id: 'b', text: 'two' }, { id: 'a', text: 'one' }, undefined, undefined]);
    await store.write((tx) => tables(tx).updateTable('notes').set({ text: 'new' }).execute());
    expect(await find({ id: 'a', count: 0 })).toEqual({ id: 'a', text: 'new' });
  });

  it('refuses to prepare a query that does not use its placeholder', async ({ store }) => {
    const lose = (slot: { id: string }) =>
      tables(store).selectFrom('notes').select('id').where('id', '=', JSON.stringify(slot.id));
    expect(() => store.prepared((_, slot: { id: string }) => lose(slot))).toThrow('the placeholder id');
  });

  it('has no change to report while nobody else writes', async ({ store }) => {
    const before = await store.changed();
    await store.write((tx) => addNote(tx, 'a'));
    expect(await store.changed()).toBe(before);
  });

  it(`names its dialect`, async ({ store }) => {
    const dialect = kind === 'postgres' ? 'postgres' : 'sqlite';
    expect(store.dialect).toBe(dialect);
    expect(await store.write(async (tx) => tx.dialect)).toBe(dialect);
  });
});

const SHARED = { migrations: testMigrations, kinds: ['file', 'postgres'] } as const;

describeStores('two processes', SHARED, ({ open, place, kind }) => {
  it('read and write the same rows without losing a change', async () => {
    const where = await place();
    const stores = await Promise.all([open(where), open(where)]);
    await stores[0].write((tx) => addNote(tx, 'a'));
    await Promise.all(Array.from({ length: 60 }, (_, i) => stores[i % 2]!.write(readAndIncrement)));
    expect(await countsOf(stores[1])).toEqual([60]);
  });

  it('notice that the other changed keys', async () => {
    const where = await place();
    const [mine, theirs] = [await open(where), await open(where)];
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const before = await mine.changed();
    const add = (id: string) => theirs.write((tx) => tables(tx).insertInto('keys').values({ id, name: id }).execute());
    await add('k1');
    now += 1001;
    const after = await mine.changed();
    expect(after).not.toBe(before);
    now += 1001;
    expect(await mine.changed()).toBe(after);
    await add('k2');
    const soon = await mine.changed();
    if (kind === 'postgres') expect(soon).toBe(after);
    now += 1001;
    expect(await mine.changed()).not.toBe(after);
  });
});

describeStores('a SQLite file', { migrations: testMigrations, kinds: ['file'] }, ({ open, place }) => {
  it('is in WAL mode, can shrink, and enforces foreign keys', async () => {
    const store = await open(await place());
    const pragma = (name: string) =>
      store.write(async (tx) => Object.values((await sql.raw<object>(`pragma ${name}`).execute(tx.db)).rows[0]!)[0]);
    expect(await pragma('journal_mode')).toBe('wal');
    expect(await pragma('auto_vacuum')).toBe(2);
    expect(await pragma('foreign_keys')).toBe(1);
    expect(await pragma('synchronous')).toBe(1);
    const safest = await open({ ...(await place()), synchronous: undefined });
    const { rows } = await safest.write((tx) => sql`pragma synchronous`.execute(tx.db));
    expect(rows).toEqual([{ synchronous: 2 }]);
  });

  it('waits for the disk unless a transaction says that it need not', async () => {
    const store = await open({ ...(await place()), synchronous: undefined });
    const level = async (flushed?: boolean) => {
      const read = sql<{ synchronous: number }>`pragma synchronous`;
      const { rows } = await store.write((tx) => read.execute(tx.db), flushed === undefined ? {} : { flushed });
      return rows[0]!.synchronous;
    };
    const levels = [await level(), await level(false), await level(false), await level(true), await level()];
    expect(levels).toEqual([2, 1, 1, 2, 2]);
  });

  it('waits for another process without holding up the event loop', async () => {
    const where = await place();
    const store = await open(where);
    const other = new Database(where.file);
    other.exec('begin immediate');
    let done = false;
    const writing = store.write((tx) => addNote(tx, 'a')).then(() => (done = true));
    for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(done).toBe(false);
    expect(await noteIds(store)).toEqual([]);
    other.exec('commit');
    other.close();
    await writing;
    expect(await noteIds(store)).toEqual(['a']);
  });

  it('is closed also where another process keeps its writes out', async () => {
    const where = await place();
    const store = await open({ ...where, lockTimeoutMs: 300 });
    const other = new Database(where.file);
    other.exec('begin immediate');
    const writing = store.write((tx) => addNote(tx, 'a'));
    const closing = store.close();
    await expect(writing).rejects.toThrow();
    await closing;
    await expect(store.write((tx) => addNote(tx, 'b'))).rejects.toThrow();
    other.close();
  });

  it('empties its write-ahead log when that has grown too large', async () => {
    const where = await place();
    const store = await open({ ...where, walLimitBytes: 100_000 });
    const size = () => statSync(`${where.file}-wal`).size;
    let largest = 0;
    for (let i = 0; i < 64; i += 1) {
      largest = Math.max(largest, size());
      await store.write((tx) => addNote(tx, `n${i}`, 'x'.repeat(10_000)));
    }
    expect(largest).toBeGreaterThan(100_000);
    expect(size()).toBe(0);
    expect((await noteIds(store)).length).toBe(64);
  });

  it('gives space back to the file system, a step at a time, and shortens its log when asked', async () => {
    const where = await place();
    const store = await open({ ...where, walLimitBytes: 10_000 });
    for (let i = 0; i < 4; i += 1) {
      await store.write(async (tx) => {
        for (let j = 0; j < 100; j += 1) await addNote(tx, `n${i}-${j}`, 'x'.repeat(10_000));
      });
    }
    expect(await store.tidy()).toBe(0);
    const full = statSync(where.file!).size;
    await store.write((tx) => tables(tx).deleteFrom('notes').execute());
    const steps: number[] = [];
    for (let freed = await store.tidy(); freed > 0; freed = await store.tidy()) steps.push(freed);
    expect(steps[0]).toBe(500);
    expect(steps.reduce((sum, freed) => sum + freed)).toBeGreaterThan(900);
    await store.tidy();
    expect(statSync(where.file!).size).toBeLessThan(full / 4);
    expect(statSync(`${where.file}-wal`).size).toBe(0);
    await store.write((tx) => addNote(tx, 'a'));
    expect(await noteIds(store)).toEqual(['a']);
    await store
      .write(async () => {
        await expect(store.tidy()).rejects.toThrow('held across');
      })
      .catch(() => undefined);
  });
});

describe('what other processes keep of callers', () => {
  it.each([
    [true, 'insert into "keys" ("id", "hash") values ($1, $2)'],
    [true, 'insert into "users" ("id") values ($1) on conflict ("email") do nothing returning "id"'],
    [true, 'delete from "workspaces" where "id" = $1'],
    [true, 'update "workspaces" set "plan" = $1 where "id" = $2'],
    [true, 'update "workspaces" set "removed_at" = $1, "blocked_at" = $2 where "id" = $3'],
    [true, 'update "keys" set "is_active" = $1, "last_used_at" = $2 where "id" = $3'],
    [true, 'update users set email = $1'],
    [false, 'update "keys" set "last_used_at" = $1 where "id" = $2 and "hash" = $3'],
    [
      false,
      'update "workspaces" set "storage_bytes" = "storage_bytes" + $1, "pending_bytes" = "pending_bytes" - $2 where "id" = $3 and "plan" = $4',
    ],
    [false, 'update "workspaces" set "brands_count" = "brands_count" + $1 where "id" = $2 and "brands_count" < $3'],
    [false, 'update "workspaces" set "notified_at" = $1 where "id" = $2'],
    [false, 'select "id" from "keys" where "hash" = $1'],
    [false, 'insert into "keys_of" ("id") values ($1)'],
  ])('is touched (%s) by %s', (touched, text) => expect(changesCallers(text)).toBe(touched));
});

describe('opening', () => {
  it('takes exactly one place', async () => {
    await expect(openStore({})).rejects.toThrow('exactly one of file, image and url');
    await expect(openStore({ file: 'a', url: 'postgres://b/c' })).rejects.toThrow('exactly one');
  });

  it('names the file it cannot open, in one line', async () => {
    const opening = openStore({ file: '/nowhere/at/all/rostra.db', migrations: testMigrations });
    await expect(opening).rejects.toThrow(StoreError);
    await expect(opening).rejects.toThrow(/^cannot open the database \/nowhere\/at\/all\/rostra\.db: [^\n]*$/);
  });

  it('says that PostgreSQL cannot be reached, without the password', async () => {
    const opening = openStore({ url: 'postgres://me:hunter2@127.0.0.1:1/x', migrations: testMigrations });
    await expect(opening).rejects.toThrow(/^cannot reach the database of DATABASE_URL: [^\n]*ECONNREFUSED[^\n]*$/);
    await expect(opening).rejects.not.toThrow('hunter2');
  });

  it('gives every image a life of its own', async () => {
    const image = await migratedImage(testMigrations);
    const stores = await Promise.all([1, 2].map(() => openStore({ image, migrations: testMigrations })));
    await stores[0]!.write((tx) => addNote(tx, 'a'));
    expect(await noteIds(stores[1]!)).toEqual([]);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('refuses an image that is not migrated', async () => {
    const later = [...testMigrations, { version: 2, name: 'later', up: async () => {} }];
    const opening = openStore({ image: await migratedImage(testMigrations), migrations: later });
    await expect(opening).rejects.toThrow('the image lacks migration 2 (later)');
  });
});

describe('the statement cache', () => {
  it('prepares a text once and forgets the one unused longest', () => {
    const handle = new Database(':memory:');
    const prepare = vi.spyOn(handle, 'prepare');
    const statement = cacheStatements(handle, 2);
    for (const text of ['select 1', 'select 2', 'select 1', 'select 3', 'select 1', 'select 2']) statement(text);
    expect(prepare.mock.calls.map(([text]) => text)).toEqual(['select 1', 'select 2', 'select 3', 'select 2']);
    handle.close();
  });
});

it('leaves the number parsers of other users of pg alone', async () => {
  await import('#db/store/postgres/driver.ts');
  expect(pg.types.getTypeParser(20)('12')).toBe('12');
});
