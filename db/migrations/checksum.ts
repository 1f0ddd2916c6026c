import { createHash } from 'node:crypto';
import { builderOn } from '../store/builder.ts';
import type { Dialect } from '../store/dialect.ts';
import type { Checksums, Migration } from '../migrate/migrate.ts';

/** Shipped checksums by file name of their migration, without `.ts`. */
export type ShippedChecksums = Readonly<Record<string, Checksums>>;

export function shippedName({ version, name }: Pick<Migration, 'version' | 'name'>): string {
  return `${String(version).padStart(4, '0')}-${name}`;
}

/** The checksum of every statement, with parameters, of a migration on an empty database. */
async function checksumOf(migration: Migration, dialect: Dialect): Promise<string> {
  const hash = createHash('sha256');
  const record = builderOn<never>(dialect, async ({ sql, parameters }) => {
    hash.update(`${JSON.stringify([sql.replace(/\s+/g, ' ').trim(), parameters])}\n`);
    return { rows: [] };
  });
  await migration.up(record, dialect);
  return hash.digest('hex');
}

/** All checksums; a changed or missing shipped one is an error, as stores depend on it. */
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
