import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { extendTx, type Tx } from '#db/store/open.ts';
import { StoreUnavailable } from '#kernel/errors.ts';
import { onPostgres } from '../harness/stores/postgres.ts';
import { describeStores, KINDS } from '../harness/stores/stores.ts';
import { addNote, addNotes, countsOf, increment, noteIds, testMigrations } from '../harness/stores/test-tables.ts';

const HELD = 'transaction held across I/O';
const never = new Promise<void>(() => {});
const GATE = 815;

describeStores('a transaction', { migrations: testMigrations, kinds: KINDS }, ({ open }) => {
  const it = test.extend('store', () => open());

  it('is seen by reads once it is committed', async ({ store }) => {
    const answer = await store.write(async (tx) => {
      await addNote(tx, 'a');
      return noteIds(tx);
    });
    expect(answer).toEqual(['a']);
    expect(await noteIds(store)).toEqual(['a']);
  });

  it('leaves nothing behind when its function throws', async ({ store }) => {
    const failure = new Error('no');
    const writing = store.write(async (tx) => {
      await addNote(tx, 'a');
      throw failure;
    });
    await expect(writing).rejects.toBe(failure);
    expect(await noteIds(store)).toEqual([]);
    await store.write((tx) => addNote(tx, 'b'));
    expect(await noteIds(store)).toEqual(['b']);
  });

  it('fails as a whole after a statement failed, even when that was caught', async ({ store }) => {
    const writing = store.write(async (tx) => {
      await addNote(tx, 'a');
      await addNote(tx, 'a').catch(() => undefined);
      await addNote(tx, 'b').catch(() => undefined);
    });
    await expect(writing).rejects.toThrow(/unique|duplicate/i);
    expect(await noteIds(store)).toEqual([]);
  });

  it('is many: concurrent increments are all kept, and all end', async ({ store }) => {
    await store.write((tx) => addNote(tx, 'a'));
    await Promise.all(Array.from({ length: 60 }, () => store.write((tx) => increment(tx))));
    expect(await countsOf(store)).toEqual([60]);
  });

  it('may have queries under way together', async ({ store }) => {
    await store.write(async (tx) => {
      await Promise.all([addNote(tx, 'a'), addNote(tx, 'b'), addNote(tx, 'c')]);
    });
    expect(await noteIds(store)).toEqual(['a', 'b', 'c']);
  });

  it('includes what its function asked for and did not wait for', async ({ store }) => {
    await store.write((tx) => Promise.race([addNote(tx, 'a'), addNote(tx, 'b')]));
    expect(await noteIds(store)).toEqual(['a', 'b']);
  });

  it('is rolled back when it waits for something else', async ({ store }) => {
    const waits: ((tx: Tx) => Promise<unknown>)[] = [
      () => turn(),
      () => never,
      (tx) => Promise.all([noteIds(tx), turn()]).then(() => turn()),
    ];
    for (const wait of waits) {
      const writing = store.write(async (tx) => {
        await addNote(tx, 'a');
        await wait(tx);
      });
      await expect(writing).rejects.toThrow(HELD);
    }
    expect(await noteIds(store)).toEqual([]);
    await store.write((tx) => addNote(tx, 'b'));
    expect(await noteIds(store)).toEqual(['b']);
  });

  it('cannot be used after it was rolled back for waiting', async ({ store }) => {
    let later: Promise<unknown> = Promise.resolve();
    const writing = store.write((tx) => {
      later = turn().then(() => addNote(tx, 'late'));
      return later;
    });
    await expect(writing).rejects.toThrow(HELD);
    await expect(later).rejects.toThrow(HELD);
    expect(await noteIds(store)).toEqual([]);
  });

  it('cannot be used after its end', async ({ store }) => {
    let leaked: Tx | undefined;
    await store.write(async (tx) => void (leaked = tx));
    await expect(addNote(leaked!, 'late')).rejects.toThrow('the transaction is over');
    expect(await noteIds(store)).toEqual([]);
  });

  it('refuses every other way to the store inside itself, and does not survive one', async ({ store }) => {
    const find = store.prepared((db) => db.selectNoFrom(sql<number>`1`.as('one')));
    const uses: (() => Promise<unknown>)[] = [
      () => noteIds(store),
      () => store.write(async () => undefined),
      () => find({}),
    ];
    for (const use of uses) {
      let inner: unknown;
      const writing = store.write(async (tx) => {
        await addNote(tx, 'a');
        await use().catch((error: unknown) => (inner = error));
      });
      await expect(writing).rejects.toThrow(HELD);
      expect(inner).toHaveProperty('message', HELD);
    }
    expect(await noteIds(store)).toEqual([]);
  });

  it('lets its own async context use the store again once it is over', async ({ store }) => {
    let after: Promise<string[]> | undefined;
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    await store.write(async (tx) => {
      await addNote(tx, 'a');
      after = ended.then(() => noteIds(store));
    });
    end();
    expect(await after).toEqual(['a']);
  });

  it('does not disturb readers beside it', async ({ store }) => {
    const ids = Array.from({ length: 10 }, (_, index) => `n${index}`);
    const seen: Promise<string[]>[] = [];
    const read = async () => {
      for (let i = 0; i < 100; i += 1) await Promise.resolve(seen.push(noteIds(store)));
    };
    await Promise.all([addNotes(store, ...ids), read()]);
    const lengths = new Set((await Promise.all(seen)).map((found) => found.length));
    expect([...lengths].filter((length) => length !== 0 && length !== ids.length)).toEqual([]);
  });

  it('signals after the commit, once per topic, and not when it is rolled back', async ({ store }) => {
    const heard: string[][] = [];
    const stop = store.onCommit('log notes', () => {
      void noteIds(store).then((ids) => heard.push(ids));
    });
    const failing = store.write(async (tx) => {
      tx.signal('log notes');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await store.write(async (tx) => {
      tx.signal('log notes');
      tx.signal('log notes');
      tx.signal('log others');
      await addNote(tx, 'a');
    });
    await noteIds(store);
    stop();
    await store.write(async (tx) => tx.signal('log notes'));
    await noteIds(store);
    expect(heard).toEqual([['a']]);
  });

  it('stands when a listener to its commit throws', async ({ store }) => {
    store.onCommit('log notes', () => {
      throw new Error('deaf');
    });
    let told = false;
    store.onCommit('log notes', () => (told = true));
    await store.write(async (tx) => {
      tx.signal('log notes');
      await addNote(tx, 'a');
    });
    expect(told).toBe(true);
    expect(await noteIds(store)).toEqual(['a']);
  });

  it('can carry more, built per transaction', async () => {
    const last: string[] = [];
    const store = extendTx(await open(), (tx) => ({
      more: { note: (id: string) => addNote(tx, id) },
      end: async () => last.push(...(await noteIds(tx))),
    }));
    const twice = extendTx(store, (tx) => ({
      more: { both: () => Promise.all([tx.note('a'), tx.note('b')]) },
      end: () => tx.note('c'),
    }));
    await twice.write((tx) => tx.both());
    expect(await noteIds(twice)).toEqual(['a', 'b', 'c']);
    expect(last).toEqual(['a', 'b', 'c']);
  });

  it('fails with what is left to be done at its end', async () => {
    const broken = extendTx(await open(), () => ({ more: {}, end: () => Promise.reject(new Error('at the end')) }));
    await expect(broken.write((tx) => addNote(tx, 'a'))).rejects.toThrow('at the end');
    expect(await noteIds(broken)).toEqual([]);
  });

  it('is refused once the store is closed', async ({ store }) => {
    await store.close();
    await store.close();
    await expect(store.write(async () => undefined)).rejects.toThrow();
  });
});

const ON_POSTGRES = { migrations: testMigrations, kinds: ['postgres'] } as const;

describeStores('PostgreSQL transactions', ON_POSTGRES, ({ open, place: freshPlace }) => {
  const it = test.extend('store', () => open());

  it('run again when they are the victim of a deadlock', async () => {
    const place = await freshPlace();
    const store = await open(place);
    await addNotes(store, 'a', 'b');
    let runs = 0;
    const both = (first: string, second: string) =>
      store.write(async (tx) => {
        runs += 1;
        await increment(tx, first);
        await sql`select pg_advisory_xact_lock_shared(${GATE})`.execute(tx.db);
        await increment(tx, second);
      });
    // The gate opens when both hold their first row and stand before it.
    await onPostgres(place.url!, async (client) => {
      await client.query('select pg_advisory_lock($1)', [GATE]);
      const writing = Promise.all([both('a', 'b'), both('b', 'a')]);
      const standing = 'select count(*)::int as n from pg_locks where not granted and objid = $1';
      while ((await client.query<{ n: number }>(standing, [GATE])).rows[0]!.n < 2);
      await client.query('select pg_advisory_unlock($1)', [GATE]);
      await writing;
    });
    expect(await countsOf(store)).toEqual([2, 2]);
    // On a busy machine both may be found at once, and picked.
    expect([3, 4]).toContain(runs);
  });

  it('fail when another process keeps a row locked, which leaves the store available', async () => {
    const place = await freshPlace();
    const lines: string[] = [];
    const warn = (_: object, message: string) => void lines.push(message);
    const store = await open({ ...place, log: { info: () => {}, warn } });
    await addNotes(store, 'a', 'b');
    const incrementSoon = (id: string) =>
      store.write(async (tx) => {
        await sql`set local lock_timeout = '10ms'`.execute(tx.db);
        await increment(tx, id);
      });
    await onPostgres(place.url!, async (client) => {
      await client.query(`begin; update ${place.schema}.notes set count = 7 where id = 'a'`);
      for (let tries = 0; tries < 2; tries += 1) await expect(incrementSoon('a')).rejects.toThrow(StoreUnavailable);
      await incrementSoon('b');
    });
    const line = expect.stringContaining('a row is locked by another process');
    expect(lines).toEqual([line, line]);
    expect(await countsOf(store)).toEqual([0, 1]);
  });

  it('read what others have committed since they began', async ({ store }) => {
    const level = await store.write(async (tx) => {
      const { rows } = await sql<{ level: string }>`select current_setting('transaction_isolation') as level`.execute(
        tx.db,
      );
      return rows[0]!.level;
    });
    expect(level).toBe('read committed');
  });

  it('survive the loss of their connection', async ({ store }) => {
    const writing = store.write(async (tx) => {
      await addNote(tx, 'a');
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx.db);
    });
    await expect(writing).rejects.toThrow(StoreUnavailable);
    await store.write((tx) => addNote(tx, 'b'));
    expect(await noteIds(store)).toEqual(['b']);
  });
});
