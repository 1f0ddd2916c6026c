import type { Db } from './tx.ts';

export async function readSetting(db: Db, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

const TEST_PREFIX = 'write_test ';
/** Needs pages of its own, which a store that is full does not have. */
const TEST_VALUE = 'x'.repeat(16_384);

/** Writes a row to see whether the store takes one; the row of the test before goes. */
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

/** Writes a setting once; answers what stands there now, whoever wrote it. */
export async function settleSetting(db: Db, name: string, value: string): Promise<string> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await readSetting(db, name))!;
}
