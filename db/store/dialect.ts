import { sql, type AnyColumn, type InsertQueryBuilder, type RawBuilder, type Selectable } from 'kysely';
import type { SelectQueryBuilder, SqlBool } from 'kysely';

export type Dialect = 'sqlite' | 'postgres';

/**
 * The select that picks the rows a worker takes, inside `store.write`. PostgreSQL locks them and passes over those that
 * another worker is taking; on SQLite the transaction already is the only writer. Put it into a `with`, so that
 * PostgreSQL runs it exactly once, and update by the ids found there.
 */
export function claim<DB, TB extends keyof DB, O>(
  dialect: Dialect,
  rows: SelectQueryBuilder<DB, TB, O>,
): SelectQueryBuilder<DB, TB, O> {
  return dialect === 'postgres' ? rows.forUpdate().skipLocked() : rows;
}

/** A select inside `store.write` whose rows nobody else changes until the transaction ends. */
export function hold<DB, TB extends keyof DB, O>(
  dialect: Dialect,
  rows: SelectQueryBuilder<DB, TB, O>,
): SelectQueryBuilder<DB, TB, O> {
  return dialect === 'postgres' ? rows.forUpdate() : rows;
}

/**
 * Where a new log entry of a workspace stands in the order of commits. On PostgreSQL that is the number of its
 * transaction; SQLite has one writer, so it is one more than the last. There it never falls behind the clock either, so
 * that it goes on rising when the last entries were swept away.
 */
export function nextPosition(
  dialect: Dialect,
  entry: Readonly<{ workspace_id: string; created_at: number }>,
): RawBuilder<number> {
  if (dialect === 'postgres') return sql<number>`pg_current_xact_id()::text::bigint`;
  const last = sql`select max(position) + 1 from log where workspace_id = ${entry.workspace_id}`;
  return sql<number>`max(${entry.created_at}, coalesce((${last}), 0))`;
}

/** True of a position that nothing under way can still be committed before: no transaction as old is open any more. */
export function isSettled(dialect: Dialect, position: string): RawBuilder<SqlBool> {
  if (dialect === 'sqlite') return sql<SqlBool>`1 = 1`;
  return sql<SqlBool>`${sql.ref(position)} < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;
}

/**
 * A table of rows given as one parameter. The statement reads the same however many there are, so it stays prepared;
 * text of strangers does not belong here, for PostgreSQL takes no JSON with half a surrogate pair in it.
 */
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

/** True where a column has one of the values, which are one parameter together. */
export function oneOf(dialect: Dialect, column: string, values: readonly string[]): RawBuilder<SqlBool> {
  if (dialect === 'postgres') return sql<SqlBool>`${sql.ref(column)} = any(${values}::text[])`;
  return sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`;
}

/** True where a column of JSON has `true` under one of some names, which are our own words. */
export function isTrueIn(dialect: Dialect, column: string, names: readonly string[]): RawBuilder<SqlBool> {
  const [json, yes] = dialect === 'postgres' ? ['::json', "'true'"] : ['', '1'];
  const each = names.map((name) => sql.raw(`${column}${json} ->> '${name}' = ${yes}`));
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

/** How text is stored to be found by `contains`: the databases fold case differently, so neither is asked to. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** True where a column written with `fold` contains the text. */
export function contains(column: string, text: string): RawBuilder<SqlBool> {
  return includes(column, fold(text));
}

/** True where a column contains the text; SQLite ignores the case of ASCII letters. */
export function includes(column: string, text: string): RawBuilder<SqlBool> {
  const pattern = `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`;
  return sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`;
}

/**
 * An insert that makes its row unless one with the same values in `columns` (a unique key) exists, and returns it only
 * if it was made. Nothing fails, as nothing may inside a transaction.
 */
export function upsertOnce<DB, TB extends keyof DB, O>(
  insert: InsertQueryBuilder<DB, TB, O>,
  columns: readonly AnyColumn<DB, TB>[],
): InsertQueryBuilder<DB, TB, Selectable<DB[TB]>> {
  return insert.onConflict((conflict) => conflict.columns(columns).doNothing()).returningAll();
}
