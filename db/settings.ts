import type { Db } from './tx.ts';

export async function readSetting(db: Db, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

/** Whether the store can be read. */
export async function storeAnswers(db: Db): Promise<boolean> {
  try {
    await db.selectFrom('settings').select('name').limit(1).execute();
    return true;
  } catch {
    return false;
  }
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
