import type { Kysely } from 'kysely';
import type { Dialect } from '../store/dialect.ts';
import type { Log } from '#kernel/log.ts';
import { StoreError } from '../store/store-error.ts';

export type Checksums = Readonly<Record<Dialect, string>>;

/** One step of the schema. It runs in the same transaction that records it. */
export type Migration = Readonly<{
  version: number;
  name: string;
  up(db: Kysely<never>, dialect: Dialect): Promise<void>;
  /** The checksums of its SQL; only the product's own migrations have them. */
  checksums?: Checksums | undefined;
}>;

/** A row of `schema_migrations`; old databases have no checksums. */
export type Applied = Readonly<{ version: number; name: string; checksum?: string | null | undefined }>;

/** What the operator can do about a store that cannot be used. */
export const REMEDY =
  'start the Rostra that made it, or start this one with an empty DATA_DIR (PostgreSQL: an empty database)';

/** The migrations still to run, in order; throws if the database does not fit the program. */
export function pending(
  applied: readonly Applied[],
  migrations: readonly Migration[],
  dialect: Dialect,
): readonly Migration[] {
  const outOfOrder = migrations.findIndex(({ version }, index) => version !== index + 1);
  if (outOfOrder !== -1)
    throw new Error(`migration ${migrations[outOfOrder]!.name} must have version ${outOfOrder + 1}`);
  refuseNewer(applied, migrations);
  for (const { version, name, checksum } of applied) {
    const known = migrations[version - 1]!;
    if (known.name !== name) {
      throw new StoreError(
        `schema version ${version} of the database is "${name}", in this Rostra it is "${known.name}": they have different origins; ${REMEDY}`,
      );
    }
    if (checksum && known.checksums && checksum !== known.checksums[dialect]) {
      throw new StoreError(
        `schema version ${version} (${name}) of the database was made by SQL that differs from this Rostra's: ${REMEDY}`,
      );
    }
  }
  const done = new Set(applied.map(({ version }) => version));
  return migrations.filter(({ version }) => !done.has(version));
}

export function logMigrated(done: readonly Migration[], log: Pick<Log, 'info'> | undefined): void {
  if (done[0]?.version === 1) return log?.info({ version: done.at(-1)!.version }, 'the database was created');
  for (const { version, name } of done) log?.info({ version, name }, 'the database was migrated');
}

/** Refuses the database of a newer program; `copy` is a backup next to it that this program can use. */
export function refuseNewer(applied: readonly Applied[], migrations: readonly Migration[], copy?: string): void {
  const newest = Math.max(0, ...applied.map(({ version }) => version));
  if (newest <= migrations.length) return;
  const back = copy === undefined ? '' : `, or go back to the copy ${copy} (docs/running.md, "Restoring")`;
  throw new StoreError(
    `the database has schema version ${newest}, this Rostra knows no later one than ${migrations.length}: start a newer Rostra${back}`,
  );
}

export function unrecorded(applied: readonly Applied[], migrations: readonly Migration[]): readonly Migration[] {
  const lacking = new Set(applied.filter(({ checksum }) => !checksum).map(({ version }) => version));
  return migrations.filter(({ version, checksums }) => checksums && lacking.has(version));
}

export function failureOf(migration: Migration, error: unknown): StoreError {
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(`migration ${migration.version} (${migration.name}) failed and was undone: ${reason}`, {
    cause: error,
  });
}
