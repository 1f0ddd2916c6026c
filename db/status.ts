import { sql, type RawBuilder, type SqlBool } from 'kysely';

/**
 * That a row is in one of some states, said as the index of those states says it: SQLite does not look behind
 * parameters, and would read the whole table instead of the index.
 */
export function statusIs(table: string, ...states: readonly string[]): RawBuilder<SqlBool> {
  const column = sql.ref(`${table}.status`);
  const literals = states.map((state) => sql.lit(state));
  return literals.length === 1 ? sql`${column} = ${literals[0]}` : sql`${column} in (${sql.join(literals)})`;
}
