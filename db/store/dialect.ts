import {
  sql,
  type AnyColumn,
  type InsertQueryBuilder,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely';
import { asJson } from './json.ts';

export type Dialect = 'sqlite' | 'postgres';

/** What differs by dialect, made for each. */
export const byDialect = <T>(make: (dialect: Dialect) => T): Readonly<Record<Dialect, T>> =>
  Object.freeze({ sqlite: make('sqlite'), postgres: make('postgres') });

/** Selects rows for a worker inside a `with`; PostgreSQL locks them and skips those of other workers. */
export function claim<DB, TB extends keyof DB, O>(
  dialect: Dialect,
  rows: SelectQueryBuilder<DB, TB, O>,
): SelectQueryBuilder<DB, TB, O> {
  return dialect === 'postgres' ? rows.forUpdate().skipLocked() : rows;
}

/** Locks the selected rows until the transaction ends. */
export function hold<DB, TB extends keyof DB, O>(
  dialect: Dialect,
  rows: SelectQueryBuilder<DB, TB, O>,
): SelectQueryBuilder<DB, TB, O> {
  return dialect === 'postgres' ? rows.forUpdate() : rows;
}

/** A log entry's position in commit order: PostgreSQL's transaction number, or SQLite's last plus one. */
export function nextPosition(
  dialect: Dialect,
  entry: Readonly<{ workspace_id: string; created_at: number }>,
): RawBuilder<number> {
  if (dialect === 'postgres') return sql<number>`pg_current_xact_id()::text::bigint`;
  const last = sql`select max(position) + 1 from log where workspace_id = ${entry.workspace_id}`;
  return sql<number>`max(${entry.created_at}, coalesce((${last}), 0))`;
}

/** Whether nothing before the `position` of a row can still be committed. */
export function isSettled(dialect: Dialect): RawBuilder<SqlBool> {
  if (dialect === 'sqlite') return sql<SqlBool>`1 = 1`;
  return sql<SqlBool>`${sql.ref('position')} < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;
}

/** A table of rows as one parameter, so that the statement stays prepared; not for untrusted text. */
export function rowsOf<R extends Readonly<Record<string, string | number | null>>>(
  dialect: Dialect,
  alias: string,
  columns: Readonly<Record<keyof R & string, 'text' | 'bigint'>>,
  rows: readonly R[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  const types = Object.entries(columns) as [string, string][];
  if (dialect === 'postgres') {
    const typed = types.map(([name, type]) => `${name} ${type}`).join(', ');
    return sql`json_to_recordset(${json}::json) as ${sql.raw(`${alias} (${typed})`)}`;
  }
  const read = types.map(([name]) => `value ->> '${name}' as ${name}`).join(', ');
  return sql`(select ${sql.raw(read)} from json_each(${json})) as ${sql.raw(alias)}`;
}

/** Whether a column has one of the values, which are one parameter. */
export function oneOf(dialect: Dialect, column: string, values: readonly string[]): RawBuilder<SqlBool> {
  if (dialect === 'postgres') return sql<SqlBool>`${sql.ref(column)} = any(${values}::text[])`;
  return sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${asJson(values)}))`;
}

/**
 * True where a column of JSON has no `false` under at least one of some names, which are our own words. PostgreSQL takes
 * equality of what it has no statistics of for rare, and would read all there is; this it takes for common.
 */
export function isAllowedIn(dialect: Dialect, column: string, names: readonly string[]): RawBuilder<SqlBool> {
  const [json, differs] = dialect === 'postgres' ? ['::json', "is distinct from 'false'"] : ['', 'is not 0'];
  const each = names.map((name) => sql.raw(`${column}${json} ->> '${name}' ${differs}`));
  return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
}

/**
 * That a row is in one of some states, said as the index of those states says it: SQLite does not look behind
 * parameters, and would read the whole table instead of the index.
 */
export function statusIs(table: string, ...states: readonly string[]): RawBuilder<SqlBool> {
  const column = sql.ref(`${table}.status`);
  const literals = states.map((state) => sql.lit(state));
  return literals.length === 1 ? sql`${column} = ${literals[0]}` : sql`${column} in (${sql.join(literals)})`;
}

/** Folds text for `contains`; not by the databases, which differ in that. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Whether a column written with `fold` contains the text. */
export function contains(column: string, text: string): RawBuilder<SqlBool> {
  return includes(column, fold(text));
}

/** Whether a column contains the text; SQLite ignores ASCII case. */
export function includes(column: string, text: string): RawBuilder<SqlBool> {
  const pattern = `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`;
  return sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`;
}

/** Inserts unless the unique key exists, and returns only a new row; never fails. */
export function upsertOnce<DB, TB extends keyof DB, O>(
  insert: InsertQueryBuilder<DB, TB, O>,
  columns: readonly AnyColumn<DB, TB>[],
): InsertQueryBuilder<DB, TB, Selectable<DB[TB]>> {
  return insert.onConflict((conflict) => conflict.columns(columns).doNothing()).returningAll();
}
