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

/** Makes both variants of something that differs by dialect. */
export const byDialect = <T>(make: (dialect: Dialect) => T): Readonly<Record<Dialect, T>> =>
  Object.freeze({ sqlite: make('sqlite'), postgres: make('postgres') });

/** Selects rows for one worker. PostgreSQL locks them and skips those that other workers have locked. */
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

/** The position of a new log entry in commit order: PostgreSQL's transaction number, or the last position plus one. */
export function nextPosition(
  dialect: Dialect,
  entry: Readonly<{ workspace_id: string; created_at: number }>,
): RawBuilder<number> {
  if (dialect === 'postgres') return sql<number>`pg_current_xact_id()::text::bigint`;
  const last = sql`select max(position) + 1 from log where workspace_id = ${entry.workspace_id}`;
  return sql<number>`max(${entry.created_at}, coalesce((${last}), 0))`;
}

/** Whether all entries before the row's `position` have been committed or rolled back. */
export function isSettled(dialect: Dialect): RawBuilder<SqlBool> {
  if (dialect === 'sqlite') return sql<SqlBool>`1 = 1`;
  return sql<SqlBool>`${sql.ref('position')} < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;
}

/** Passes rows as one parameter, so that the statement stays the same and prepared. Not for untrusted text. */
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

/** Whether a column has one of the values, which are passed as one parameter. */
export function oneOf(dialect: Dialect, column: string, values: readonly string[]): RawBuilder<SqlBool> {
  if (dialect === 'postgres') return sql<SqlBool>`${sql.ref(column)} = any(${values}::text[])`;
  return sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${asJson(values)}))`;
}

/** Whether a JSON column is a list that is not empty and has none but these values. */
export function hasOnly(dialect: Dialect, column: string, values: readonly string[]): RawBuilder<SqlBool> {
  const list = sql.ref(column);
  const each =
    dialect === 'postgres'
      ? sql`json_array_elements_text(${list}::json) as each(value)`
      : sql`json_each(${list}) as each`;
  const other = sql`select 1 from ${each} where not ${oneOf(dialect, 'each.value', values)}`;
  return sql<SqlBool>`(${list} <> '[]' and not exists (${other}))`;
}

/**
 * True if at least one of the names is not `false` in a JSON column; the names must be trusted. Without statistics,
 * PostgreSQL takes equality for rare, and would read all rows. It takes `is distinct from` for common.
 */
export function isAllowedIn(dialect: Dialect, column: string, names: readonly string[]): RawBuilder<SqlBool> {
  const [json, differs] = dialect === 'postgres' ? ['::json', "is distinct from 'false'"] : ['', 'is not 0'];
  const each = names.map((name) => sql.raw(`${column}${json} ->> '${name}' ${differs}`));
  return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
}

/**
 * Whether a row has one of the states. They are literals, as in the condition of the partial index: with parameters,
 * SQLite would not use the index.
 */
export function statusIs(table: string, ...states: readonly string[]): RawBuilder<SqlBool> {
  const column = sql.ref(`${table}.status`);
  const literals = states.map((state) => sql.lit(state));
  return literals.length === 1 ? sql`${column} = ${literals[0]}` : sql`${column} in (${sql.join(literals)})`;
}

/** Folds text for `contains`, in the program because the databases fold differently. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Whether a column that `fold` has written contains the text. */
export function contains(column: string, text: string): RawBuilder<SqlBool> {
  return includes(column, fold(text));
}

/** Whether a column contains the text; SQLite ignores the case of ASCII letters. */
export function includes(column: string, text: string): RawBuilder<SqlBool> {
  const pattern = `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`;
  return sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`;
}

/** Inserts a row unless its unique key exists, and returns it only if it is new. Does not fail on a conflict. */
export function upsertOnce<DB, TB extends keyof DB, O>(
  insert: InsertQueryBuilder<DB, TB, O>,
  columns: readonly AnyColumn<DB, TB>[],
): InsertQueryBuilder<DB, TB, Selectable<DB[TB]>> {
  return insert.onConflict((conflict) => conflict.columns(columns).doNothing()).returningAll();
}
