import Database from 'better-sqlite3';
import { migrateHandle } from '#db/migrate/sqlite.ts';
import type { Migration } from '#db/migrate/migrate.ts';
import { migrations as released } from '#db/migrations/index.ts';

const images = new Map<readonly Migration[], Promise<Uint8Array>>();

/** A migrated SQLite database, serialised (in rollback mode, or it would not open from memory); made once per worker. */
export function migratedImage(migrations: readonly Migration[] = released): Promise<Uint8Array> {
  const known = images.get(migrations) ?? makeImage(migrations);
  images.set(migrations, known);
  return known;
}

async function makeImage(migrations: readonly Migration[]): Promise<Uint8Array> {
  const handle = new Database(':memory:');
  try {
    handle.pragma('auto_vacuum = INCREMENTAL');
    await migrateHandle(handle, migrations);
    return handle.serialize();
  } finally {
    handle.close();
  }
}

let tables: Promise<readonly string[]> | undefined;

/** The tables of the product, which have the same names in both databases. */
export function tablesOf(): Promise<readonly string[]> {
  return (tables ??= readTables());
}

async function readTables(): Promise<readonly string[]> {
  const handle = new Database(Buffer.from(await migratedImage()));
  const own =
    "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'inbox_word_index%' and name <> ?";
  const names = handle.prepare<[string], string>(own).pluck().all('schema_migrations');
  handle.close();
  return names;
}
