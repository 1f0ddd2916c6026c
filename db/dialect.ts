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

/** How text is stored to be found by `contains`: the databases fold case differently, so neither is asked to. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** True where a column written with `fold` contains the text. */
export function contains(column: string, text: string): RawBuilder<SqlBool> {
  const pattern = `%${fold(text).replace(/[\\%_]/g, String.raw`\$&`)}%`;
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
