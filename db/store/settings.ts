import type { Db } from './tx.ts';

export async function readSetting(db: Db, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

const TEST_PREFIX = 'write_test ';
/** Large enough to need new pages, which a full disk cannot provide. */
const TEST_VALUE = 'x'.repeat(16_384);

/** Writes a row to test the store; it replaces the previous one. */
export async function testWrite(db: Db, id: string): Promise<void> {
  const name = TEST_PREFIX + id;
  await db.insertInto('settings').values({ name, value: TEST_VALUE }).execute();
  await db
    .deleteFrom('settings')
    .where('name', '>', TEST_PREFIX)
    .where('name', '<', `${TEST_PREFIX}~`)
    .where('name', '<>', name)
    .execute();
}

/** Where the store was last used, and since when and why its server is paused. */
export const HOME = 'home';
export const PAUSED = 'paused';

export async function writeSetting(db: Db, name: string, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

export async function deleteSettings(db: Db, names: readonly string[]): Promise<void> {
  await db.deleteFrom('settings').where('name', 'in', names).execute();
}

/** Replaces the value of a setting if it is still `from`; returns whether it was. */
export async function swapSetting(db: Db, name: string, from: string, to: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('settings')
    .set({ value: to })
    .where('name', '=', name)
    .where('value', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Writes a setting unless it exists. Returns the stored value. */
export async function settleSetting(db: Db, name: string, value: string): Promise<string> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await readSetting(db, name))!;
}
