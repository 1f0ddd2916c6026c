import type { Kysely } from 'kysely';
import type { Dialect } from './dialect.ts';
import { StoreError } from './store-error.ts';

/** A step of the schema, run in one transaction together with the row that records it. */
export type Migration = Readonly<{
  version: number;
  name: string;
  up(db: Kysely<never>, dialect: Dialect): Promise<void>;
}>;

/** A row of `schema_migrations`. */
export type Applied = Readonly<{ version: number; name: string }>;

/** The migrations still to be run, in order; throws where the database and this program do not belong together. */
export function pending(applied: readonly Applied[], migrations: readonly Migration[]): readonly Migration[] {
  const stray = migrations.findIndex(({ version }, index) => version !== index + 1);
  if (stray !== -1) throw new Error(`migration ${migrations[stray]!.name} must have version ${stray + 1}`);
  const names = new Map(migrations.map(({ version, name }) => [version, name]));
  for (const { version, name } of applied) {
    if (version > migrations.length) {
      throw new StoreError(
        `the database has schema version ${version}, this Rostra knows no later one than ${migrations.length}: start a newer Rostra`,
      );
    }
    if (names.get(version) !== name) {
      throw new StoreError(
        `schema version ${version} of the database is "${name}", in this Rostra it is "${names.get(version)}": they are of different origin`,
      );
    }
  }
  const done = new Set(applied.map(({ version }) => version));
  return migrations.filter(({ version }) => !done.has(version));
}

/** What a failed migration says: which one, and why. */
export function failed(migration: Migration, error: unknown): StoreError {
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(`migration ${migration.version} (${migration.name}) failed and was undone: ${reason}`, {
    cause: error,
  });
}
