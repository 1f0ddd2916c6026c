import { REMEDY } from './migrate.ts';
import { StoreError } from '../store/store-error.ts';

/** A column (`column table.name`) or index (`index name`) with its definition in the catalogue. */
export type SchemaPart = Readonly<{ part: string; definition: string }>;

export const SQLITE_PARTS = `
  select 'column ' || t.name || '.' || c.name as part,
    lower(c.type) || ' ' || c."notnull" || ' ' || c.pk || ' ' || coalesce(c.dflt_value, '') as definition
  from sqlite_master t, pragma_table_info(t.name) c where t.type = 'table' and t.name <> 'schema_migrations'
  union all
  select 'index ' || name, sql from sqlite_master where type = 'index' and sql is not null`;

export const POSTGRES_PARTS = `
  select 'column ' || t.relname || '.' || c.attname as part,
    concat_ws(' ', format_type(c.atttypid, c.atttypmod), c.attcollation::regcollation, c.attnotnull,
      pg_get_expr(d.adbin, d.adrelid)) as definition
  from pg_class t join pg_attribute c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
  left join pg_attrdef d on d.adrelid = c.attrelid and d.adnum = c.attnum
  where t.relnamespace = current_schema()::regnamespace and t.relkind in ('r', 'p')
    and t.relname not in ('schema_migrations', 'store_epoch')
  union all
  select 'index ' || i.relname, pg_get_indexdef(i.oid, 0, true) from pg_class i
  where i.relnamespace = current_schema()::regnamespace and i.relkind = 'i'
    and i.relname not in ('schema_migrations_pkey', 'store_epoch_pkey')`;

/** Throws if a database without checksums differs from its migrations; extra tables and indexes are allowed. */
export function assertSameSchema(foundParts: readonly SchemaPart[], expectedParts: readonly SchemaPart[]): void {
  const [found, expected] = [mapOf(foundParts), mapOf(expectedParts)];
  const tables = new Set([...expected.keys()].map(tableOf).filter((table) => table !== undefined));
  const differences = [
    ...[...expected].flatMap(([part, definition]) => {
      if (!found.has(part)) return [`${part} is missing`];
      return found.get(part) === definition ? [] : [`${part} is defined differently`];
    }),
    ...[...found.keys()].flatMap((part) => {
      const table = tableOf(part);
      return table !== undefined && tables.has(table) && !expected.has(part) ? [`${part} is not known`] : [];
    }),
  ];
  if (differences.length === 0) return;
  const [first] = differences;
  const more = differences.length > 1 ? ` and ${differences.length - 1} more` : '';
  throw new StoreError(
    `the database was made by an unreleased Rostra and its schema differs from this one's (${first}${more}): ${REMEDY}`,
  );
}

function tableOf(part: string): string | undefined {
  return /^column (\w+)\./.exec(part)?.[1];
}

function mapOf(parts: readonly SchemaPart[]): ReadonlyMap<string, string> {
  return new Map(parts.map(({ part, definition }) => [part, definition]));
}
