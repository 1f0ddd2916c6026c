import Database from 'better-sqlite3';
import type pg from 'pg';
import type { Handle } from '../store/sqlite/handle.ts';
import type { Migration } from './migrate.ts';
import { createPostgres } from './postgres.ts';
import { migrateFile } from './sqlite.ts';

/** Rows of one statement. */
const BATCH = 500;

type Column = Readonly<{ name: string; type: string }>;

/** Fills an empty PostgreSQL database with what an SQLite file contains, in one transaction; migrates the file first. */
export async function copyToPostgres(file: string, url: string, migrations: readonly Migration[]): Promise<void> {
  await migrateFile({ file, migrations });
  const handle = new Database(file, { readonly: true, fileMustExist: true });
  try {
    await createPostgres({ url, migrations }, async (client) => {
      const { rows: tables } = await client.query<{ name: string }>(
        `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'
          and relname not in ('schema_migrations', 'store_epoch')`,
      );
      for (const table of parentsFirst(handle, tables)) await copyTable(handle, client, table);
    });
  } finally {
    handle.close();
  }
}

/** The tables in an order in which no row refers to one that is not there yet. */
function parentsFirst(handle: Handle, tables: readonly Readonly<{ name: string }>[]): Iterable<string> {
  const parents = handle.prepare<[string], string>('select "table" from pragma_foreign_key_list(?)').pluck();
  const placed = new Set<string>();
  const place = (table: string) => {
    if (placed.has(table)) return;
    for (const parent of parents.all(table)) place(parent);
    placed.add(table);
  };
  for (const { name } of tables) place(name);
  return placed;
}

async function copyTable(handle: Handle, client: pg.ClientBase, table: string): Promise<void> {
  const columns = handle.prepare<[string], Column>('select name, type from pragma_table_info(?)').all(table);
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${/^text$/i.test(type) ? 'text' : 'bigint'}[]`);
  const insert = `insert into "${table}" (${names}) select * from unnest(${arrays.join(', ')})`;
  let batch: unknown[][] = [];
  const send = async () => {
    if (batch.length === 0) return;
    await client.query(
      insert,
      columns.map((_, index) => batch.map((row) => row[index])),
    );
    batch = [];
  };
  for (const row of handle.prepare<[], unknown[]>(`select ${names} from "${table}"`).raw().iterate()) {
    if (batch.push(row) === BATCH) await send();
  }
  await send();
}
