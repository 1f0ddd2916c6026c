import { sql, type Kysely } from 'kysely';
import type { Dialect } from '../store/dialect.ts';

export type { Dialect };

/** A column: `id` and `key` collate "C", `?` allows null, `> table` references with cascade, `= value` is a default. */
type Column = string;

export type TableSpec = Readonly<{
  columns: Readonly<Record<string, Column>>;
  primary: readonly string[];
  unique?: readonly (readonly string[])[];
  indexes?: Readonly<Record<string, string>>;
}>;

const TYPES: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  sqlite: { id: 'text', key: 'text', text: 'text', int: 'integer' },
  postgres: { id: 'text collate "C"', key: 'text collate "C"', text: 'text', int: 'bigint' },
};

function columnSql(dialect: Dialect, name: string, column: Column): string {
  const match = /^(id|key|text|int)(\?)?(?: > (\w+))?(?: = (.+))?$/.exec(column);
  if (!match) throw new Error(`column ${name}: cannot read "${column}"`);
  const [, type, nullable, table, value] = match;
  const parts = [`"${name}"`, TYPES[dialect][type!]!];
  if (!nullable) parts.push('not null');
  if (value !== undefined) parts.push(`default ${value}`);
  if (table !== undefined) parts.push(`references "${table}" ("id") on delete cascade`);
  return parts.join(' ');
}

/** Creates a table with keys and indexes; `indexes` maps names to what follows `on <table>`. */
export async function createTable(db: Kysely<never>, dialect: Dialect, name: string, spec: TableSpec): Promise<void> {
  const list = (names: readonly string[]) => names.map((column) => `"${column}"`).join(', ');
  const lines = Object.entries(spec.columns).map(([column, type]) => columnSql(dialect, column, type));
  lines.push(`primary key (${list(spec.primary)})`);
  for (const columns of spec.unique ?? []) lines.push(`unique (${list(columns)})`);
  await sql.raw(`create table "${name}" (\n  ${lines.join(',\n  ')}\n)`).execute(db);
  for (const [index, on] of Object.entries(spec.indexes ?? {})) {
    await sql.raw(`create index "${index}" on "${name}" ${on}`).execute(db);
  }
}
