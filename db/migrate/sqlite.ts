import type { CompiledQuery } from 'kysely';
import type { Log } from '#kernel/log.ts';
import { backUp, copyUpTo } from '../store/backup.ts';
import { builderOn } from '../store/builder.ts';
import { failureOf, logMigrated, pending, refuseNewer, unrecorded, type Applied, type Migration } from './migrate.ts';
import { assertSameSchema, SQLITE_PARTS, type SchemaPart } from './schema-parts.ts';
import { bindings, openFile, openMemory, retryWhileLocked, type Handle } from '../store/sqlite/handle.ts';

/** How long to wait for another process, which may be migrating a large file. */
const LOCK_WAIT_MS = 300_000;

type FileMigration = Readonly<{
  file: string;
  migrations: readonly Migration[];
  log?: Pick<Log, 'info'> | undefined;
}>;

/** Copies a database file and then migrates it. */
export async function migrateFile({ file, migrations, log }: FileMigration): Promise<void> {
  const handle = await openFile(file);
  try {
    refuseNewer(appliedIn(handle), migrations, copyUpTo(file, migrations.length));
    const copy = async (version: number) => {
      const path = await backUp(file, version);
      log?.info({ path, version }, 'the database was copied before its migration');
    };
    logMigrated(await migrateHandle(handle, migrations, copy), log);
  } finally {
    handle.close();
  }
}

/** Runs pending migrations in one transaction on an exclusive handle; `copy` runs first, while no one can write. */
export async function migrateHandle(
  handle: Handle,
  migrations: readonly Migration[],
  copy: (version: number) => Promise<void> = async () => {},
): Promise<readonly Migration[]> {
  const before = appliedIn(handle);
  if (pending(before, migrations, 'sqlite').length === 0 && unrecorded(before, migrations).length === 0) return [];
  // Has no effect inside a transaction. With foreign keys on, rebuilding a table would delete its children.
  handle.pragma('foreign_keys = OFF');
  await retryWhileLocked(handle, () => handle.exec('begin immediate'), LOCK_WAIT_MS);
  try {
    const applied = appliedIn(handle);
    const next = pending(applied, migrations, 'sqlite');
    const lacking = unrecorded(applied, migrations);
    if (lacking.length > 0) {
      await assertMadeBy(handle, migrations.slice(0, applied.length));
      recordChecksums(handle, lacking);
    }
    if (next.length > 0 && !isEmpty(handle)) await copy(applied.at(-1)?.version ?? 0);
    for (const migration of next) await migrateOne(handle, migration);
    handle.exec('commit');
    return next;
  } finally {
    if (handle.inTransaction) handle.exec('rollback');
  }
}

async function migrateOne(handle: Handle, migration: Migration): Promise<void> {
  try {
    await migration.up(
      builderOn<never>('sqlite', async (query) => run(handle, query)),
      'sqlite',
    );
    const broken = handle.pragma('foreign_key_check') as { table: string }[];
    if (broken.length > 0) {
      throw new Error(`${broken.length} rows would refer to nothing, the first in ${broken[0]!.table}`);
    }
    handle.exec(
      'create table if not exists schema_migrations (version integer primary key, name text not null, checksum text)',
    );
    handle
      .prepare('insert into schema_migrations (version, name, checksum) values (?, ?, ?)')
      .run(migration.version, migration.name, migration.checksums?.sqlite ?? null);
  } catch (error) {
    throw failureOf(migration, error);
  }
}

/** Throws if these migrations would make a different schema. */
async function assertMadeBy(handle: Handle, migrations: readonly Migration[]): Promise<void> {
  const fresh = openMemory();
  try {
    await migrateHandle(fresh, migrations);
    assertSameSchema(partsIn(handle), partsIn(fresh));
  } finally {
    fresh.close();
  }
}

function partsIn(handle: Handle): SchemaPart[] {
  return handle.prepare<[], SchemaPart>(SQLITE_PARTS).all();
}

function recordChecksums(handle: Handle, migrations: readonly Migration[]): void {
  if (!handle.prepare("select 1 from pragma_table_info('schema_migrations') where name = 'checksum'").get()) {
    handle.exec('alter table schema_migrations add column checksum text');
  }
  const record = handle.prepare('update schema_migrations set checksum = ? where version = ?');
  for (const { version, checksums } of migrations) record.run(checksums!.sqlite, version);
}

function run(handle: Handle, query: CompiledQuery) {
  const statement = handle.prepare<unknown[]>(query.sql);
  const parameters = bindings(query.parameters);
  if (statement.reader) return { rows: statement.all(parameters) };
  return { rows: [], numAffectedRows: BigInt(statement.run(parameters).changes) };
}

function appliedIn(handle: Handle): Applied[] {
  if (!handle.prepare("select 1 from sqlite_master where name = 'schema_migrations'").get()) return [];
  return handle.prepare<[], Applied>('select * from schema_migrations order by version').all();
}

function isEmpty(handle: Handle): boolean {
  return handle.prepare('select 1 from sqlite_master').get() === undefined;
}
