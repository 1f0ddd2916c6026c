import { expect, test } from 'vitest';
import { claim, contains, fold, hold, upsertOnce } from '#db/store/dialect.ts';
import type { Tx } from '#db/store/open.ts';
import { describeStores, KINDS } from '../harness/stores/stores.ts';
import { addNote, noteIds, tables, testMigrations } from '../harness/stores/test-tables.ts';

describeStores('both spellings', { migrations: testMigrations, kinds: KINDS }, ({ open }) => {
  const it = test.extend('store', () => open());

  it('claim gives each row to one worker', async ({ store }) => {
    await store.write(async (tx) => {
      for (let i = 0; i < 40; i += 1) await addNote(tx, `n${String(i).padStart(2, '0')}`);
    });
    const take = (tx: Tx) =>
      tables(tx)
        .with('picked', (db) =>
          claim(tx.dialect, db.selectFrom('notes').select('id').where('count', '=', 0).orderBy('id').limit(5)),
        )
        .updateTable('notes')
        .set({ count: 1 })
        .where('id', 'in', (eb) => eb.selectFrom('picked').select('id'))
        .returning('id')
        .execute();
    const taken = await Promise.all(Array.from({ length: 8 }, () => store.write(take)));
    expect(taken.map((rows) => rows.length)).toEqual(Array.from({ length: 8 }, () => 5));
    const all = taken.flat().map(({ id }) => id);
    expect(all.sort()).toEqual(await noteIds(store));
  });

  it('hold keeps a row still between reading and writing it', async ({ store }) => {
    await store.write((tx) => addNote(tx, 'a'));
    const add = async (tx: Tx) => {
      const row = await hold(
        tx.dialect,
        tables(tx).selectFrom('notes').select('count').where('id', '=', 'a'),
      ).executeTakeFirstOrThrow();
      await tables(tx)
        .updateTable('notes')
        .set({ count: row.count + 1 })
        .where('id', '=', 'a')
        .execute();
    };
    await Promise.all(Array.from({ length: 30 }, () => store.write(add)));
    expect(await tables(store).selectFrom('notes').select('count').executeTakeFirst()).toEqual({ count: 30 });
  });

  it('contains finds text whatever its case, and takes nothing in it for a wildcard', async ({ store }) => {
    const texts = {
      a: 'Übergröße',
      b: '100% sure',
      c: 'snake_case',
      d: 'back\\slash',
      e: 'ＷＩＤＥ',
      f: '1000 sure',
    };
    await store.write(async (tx) => {
      for (const [id, text] of Object.entries(texts)) await addNote(tx, id, fold(text));
    });
    const find = async (text: string) => {
      const rows = await tables(store)
        .selectFrom('notes')
        .select('id')
        .where(contains('notes.text', text))
        .orderBy('id')
        .execute();
      return rows.map(({ id }) => id).join('');
    };
    expect(await find('ÜBERG')).toBe('a');
    expect(await find('0% S')).toBe('b');
    expect(await find('E_C')).toBe('c');
    expect(await find('K\\S')).toBe('d');
    expect(await find('wide')).toBe('e');
    expect(await find('sure')).toBe('bf');
    expect(await find('%')).toBe('b');
    expect(await find("' or 1=1")).toBe('');
  });

  it('upsertOnce makes a row once, and the transaction lives on', async ({ store }) => {
    const make = (id: string) =>
      store.write(async (tx) => {
        const insert = tables(tx).insertInto('keys').values({ id, name: 'same' });
        const made = await upsertOnce(insert, ['name']).executeTakeFirst();
        await addNote(tx, id);
        return made;
      });
    const made = await Promise.all(['a', 'b', 'c'].map(make));
    expect(made.filter((row) => row !== undefined)).toHaveLength(1);
    expect(await noteIds(store)).toEqual(['a', 'b', 'c']);
    expect(await tables(store).selectFrom('keys').selectAll().execute()).toEqual(made.filter(Boolean));
  });
});
