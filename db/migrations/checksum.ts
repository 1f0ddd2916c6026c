import { createHash } from 'node:crypto';
import { builderOn } from '../store/builder.ts';
import type { Dialect } from '../store/dialect.ts';
import type { Checksums, Migration } from '../migrate/migrate.ts';

/** What is shipped: checksums by the file name of their migration, without `.ts`. */
export type ShippedChecksums = Readonly<Record<string, Checksums>>;

/** The name under which a migration is shipped. */
export function shippedName({ version, name }: Pick<Migration, 'version' | 'name'>): string {
  return `${String(version).padStart(4, '0')}-${name}`;
}

/** The checksum of every statement, with its parameters, that a migration runs on an empty database. */
async function checksumOf(migration: Migration, dialect: Dialect): Promise<string> {
  const hash = createHash('sha256');
  const record = builderOn<never>(dialect, async ({ sql, parameters }) => {
    hash.update(`${JSON.stringify([sql.replace(/\s+/g, ' ').trim(), parameters])}\n`);
    return { rows: [] };
  });
  await migration.up(record, dialect);
  return hash.digest('hex');
}

/** The checksums of all migrations. A shipped one that changed or disappeared is an error: stores were made by it. */
export async function checksumsOf(
  migrations: readonly Migration[],
  shipped: ShippedChecksums,
): Promise<ShippedChecksums> {
  const found: Record<string, Checksums> = {};
  for (const migration of migrations) {
    const [sqlite, postgres] = [await checksumOf(migration, 'sqlite'), await checksumOf(migration, 'postgres')];
    found[shippedName(migration)] = { sqlite, postgres };
  }
  for (const [name, before] of Object.entries(shipped)) {
    const now = found[name];
    if (now?.sqlite === before.sqlite && now.postgres === before.postgres) continue;
    throw new Error(
      `migration ${name} ${now ? 'runs other SQL than the one that was shipped' : 'was shipped and is gone'}: ` +
        'restore it and add a new migration. If it was never on main, remove its lines from ' +
        'db/migrations/checksums.json and run npm run generate',
    );
  }
  return found;
}
