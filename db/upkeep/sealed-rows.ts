import { SEALED, sealedTable, type SealedName } from '../schema/sealed.ts';
import type { Db } from '../store/tx.ts';

const STEP = 200;

export type SealedRow = Readonly<{ id: string; sealed: string }>;

/** All encrypted values of one kind, in steps. Values with the same row id are in the same step. */
export async function* sealedRows(db: Db, name: SealedName): AsyncGenerator<readonly SealedRow[]> {
  const { column, key } = SEALED[name];
  let after = '';
  for (let most = STEP; ;) {
    const rows = await db
      .selectFrom(sealedTable(name))
      .select([`${key} as id`, `${column} as sealed`])
      .where(key, '>', after)
      .where(column as never, 'is not', null)
      .orderBy(key)
      .limit(most)
      .$castTo<SealedRow>()
      .execute();
    const isLast = rows.length < most;
    // More rows may have the last id, so the next step reads it again, with a larger limit if it fills this step.
    const whole = isLast ? rows : rows.filter(({ id }) => id !== rows.at(-1)!.id);
    if (whole.length > 0) yield whole;
    if (isLast) return;
    after = whole.at(-1)?.id ?? after;
    most = whole.length > 0 ? STEP : most * 2;
  }
}
