import { sql, type RawBuilder, type SqlBool, type StringReference } from 'kysely';
import type { Database } from '../schema/database.ts';

type AnyColumn = StringReference<Database, keyof Database>;

/** Rows before (`<`) or after (`>`) a position, in the order of two columns. */
export function beyond(
  [first, second]: readonly [AnyColumn, AnyColumn],
  sign: '<' | '>',
  { at, id }: Readonly<{ at: number; id: string }>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.ref(first)}, ${sql.ref(second)}) ${sql.raw(sign)} (${at}, ${id})`;
}
