import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe } from 'vitest';
import { migrateHandle } from '../../../db/migrate/sqlite.ts';
import type { Migration } from '../../../db/migrate/migrate.ts';
import { migrations as released } from '../../../db/migrations/index.ts';
import { openStore, type Store, type StoreOptions } from '../../../db/store/open.ts';
import { emptyTables, freshSchema, noPostgres, type Schema } from './postgres.ts';

export type StoreKind = 'memory' | 'file' | 'postgres';

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

export type Stores = Readonly<{
  kind: StoreKind;
  /** A fresh, migrated place; two stores opened on it are two processes to each other (not in memory). */
  place(): Promise<StoreOptions>;
  /** Opens a place, by default a fresh one; closed after the test. */
  open(place?: StoreOptions): Promise<Store>;
}>;

export type OnWhich = Readonly<{ migrations?: readonly Migration[]; kinds?: readonly StoreKind[] }>;
type StoreTests = (stores: Stores) => void;

/** Every kind of store: a SQLite image in memory, a SQLite file in WAL mode, and PostgreSQL. */
export const KINDS: readonly StoreKind[] = ['memory', 'file', 'postgres'];

/**
 * The same tests on several kinds of store: where it is installed on PostgreSQL, and on SQLite in memory. Where several
 * processes open one store `kinds` says `file` instead; what sets files apart from memory is tested in test/db.
 */
export function describeStores(title: string, ...rest: [StoreTests] | [OnWhich, StoreTests]): void {
  const [options, tests]: [OnWhich, StoreTests] = rest.length === 1 ? [{}, ...rest] : rest;
  const { migrations = released, kinds = ['memory', 'postgres'] } = options;
  for (const kind of kinds) {
    const missing = kind === 'postgres' ? noPostgres : undefined;
    const name = `${title} [${kind}${missing === undefined ? '' : `, skipped: ${missing}`}]`;
    describe.skipIf(missing !== undefined)(name, () => tests(makeStores(kind, migrations)));
  }
}

/** Schemas of this worker with the released migrations that no test uses any more. */
const idle: Schema[] = [];

let tables: Promise<readonly string[]> | undefined;

/** The tables of the product, which have the same names in both databases. */
export async function tablesOf(): Promise<readonly string[]> {
  const handle = new Database(Buffer.from(await migratedImage()));
  const own = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name <> ?";
  const names = handle.prepare<[string], string>(own).pluck().all('schema_migrations');
  handle.close();
  return names;
}

/** One that a test before has left whole, emptied; else a new one, which the store migrates. */
async function takeSchema(): Promise<Schema> {
  tables ??= tablesOf();
  for (let known = idle.pop(); known; known = idle.pop()) if (await emptyTables(known, await tables)) return known;
  return freshSchema();
}

function makeStores(kind: StoreKind, migrations: readonly Migration[]): Stores {
  const folders: string[] = [];
  const schemas: Schema[] = [];
  const opened: Store[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    // Emptied when it is taken again: this test may go on to close what else it opened there.
    idle.push(...schemas.splice(0));
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  const place = async (): Promise<StoreOptions> => {
    if (kind === 'postgres') {
      const schema = await (migrations === released ? takeSchema() : freshSchema());
      if (migrations === released) schemas.push(schema);
      return { ...schema, migrations, poolSize: 4 };
    }
    const image = await migratedImage(migrations);
    if (kind === 'memory') return { image, migrations };
    const folder = mkdtempSync(join(tmpdir(), 'rostra-store-'));
    folders.push(folder);
    const file = join(folder, 'rostra.db');
    writeFileSync(file, image);
    return { file, migrations, synchronous: 'NORMAL' };
  };

  return {
    kind,
    place,
    open: async (options) => {
      const store = await openStore(options ?? (await place()));
      opened.push(store);
      return store;
    },
  };
}
