import { SEALED, sealedTable, type SealedName } from '../schema/sealed.ts';
import type { Db } from '../store/tx.ts';

const STEP = 200;

export type SealedRow = Readonly<{ id: string; sealed: string }>;

/** All encrypted values of a kind in steps, those of one key in the same step. */
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
    // The last key may go on: it is read again in the next step, a larger one where it fills this.
    const whole = isLast ? rows : rows.filter(({ id }) => id !== rows.at(-1)!.id);
    if (whole.length > 0) yield whole;
    if (isLast) return;
    after = whole.at(-1)?.id ?? after;
    most = whole.length > 0 ? STEP : most * 2;
  }
}
