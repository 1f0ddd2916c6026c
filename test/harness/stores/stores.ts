import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe } from 'vitest';
import type { Migration } from '#db/migrate/migrate.ts';
import { migrations as released } from '#db/migrations/index.ts';
import { openStore, type Store, type StoreOptions } from '#db/store/open.ts';
import type { Dialect } from '#db/store/dialect.ts';
import { makeFolder } from '../folders.ts';
import { migratedImage } from './images.ts';
import { freshSchema, noPostgres } from './postgres.ts';
import { giveDatabase, openMemoryStore, openStoreOn, takeDatabase, type OpenDatabase } from './reused.ts';

export type StoreKind = 'memory' | 'file' | 'postgres';

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
  for (const kind of kinds) describeKind(title, kind, () => tests(makeStores(kind, migrations)));
}

function describeKind(title: string, kind: StoreKind, tests: () => void): void {
  const missing = kind === 'postgres' ? noPostgres : undefined;
  const name = `${title} [${kind}${missing === undefined ? '' : `, skipped: ${missing}`}]`;
  describe.skipIf(missing !== undefined)(name, tests);
}

/** An address of a store: a file, or a schema of PostgreSQL. */
export type Place = Readonly<{ file: string } | { url: string; schema: string }>;

/** The same tests on places where there is nothing yet: a file that is not there, and an empty schema. */
export function describePlaces(title: string, tests: (newPlace: () => Promise<Place>, dialect: Dialect) => void): void {
  describeKind(title, 'file', () => tests(async () => ({ file: join(makeFolder(), 'rostra.db') }), 'sqlite'));
  describeKind(title, 'postgres', () => tests(freshSchema, 'postgres'));
}

function makeStores(kind: StoreKind, migrations: readonly Migration[]): Stores {
  const folders: string[] = [];
  const opened: Store[] = [];
  /** Of places in PostgreSQL: the open database there, and whether a store has it. */
  const reused = new Map<StoreOptions, { database: OpenDatabase; isTaken: boolean }>();
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    for (const { database } of reused.values()) giveDatabase('postgres', database);
    reused.clear();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  const postgresPlace = async (): Promise<StoreOptions> => {
    if (migrations !== released) return { ...(await freshSchema()), migrations, poolSize: 4 };
    const database = await takeDatabase('postgres');
    const place = { ...database.place };
    reused.set(place, { database, isTaken: false });
    return place;
  };

  const place = async (): Promise<StoreOptions> => {
    if (kind === 'postgres') return postgresPlace();
    const image = await migratedImage(migrations);
    if (kind === 'memory') return { image, migrations };
    const folder = mkdtempSync(join(tmpdir(), 'rostra-store-'));
    folders.push(folder);
    const file = join(folder, 'rostra.db');
    writeFileSync(file, image);
    return { file, migrations, synchronous: 'NORMAL' };
  };

  const openAt = async (options: StoreOptions): Promise<Store> => {
    const known = reused.get(options);
    if (known === undefined || known.isTaken) return openStore(options);
    known.isTaken = true;
    return openStoreOn(known.database, () => void (known.isTaken = false));
  };

  return {
    kind,
    place,
    open: async (options) => {
      const inMemory = kind === 'memory' && migrations === released && options === undefined;
      const store = await (inMemory ? openMemoryStore() : openAt(options ?? (await place())));
      opened.push(store);
      return store;
    },
  };
}
