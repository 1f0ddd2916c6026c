import pg from 'pg';
import type { Log } from '#kernel/log.ts';
import { builderOn } from '../store/builder.ts';
import { failureOf, logMigrated, pending, unrecorded, type Applied, type Migration } from './migrate.ts';
import { logLoss, resultOf, settle, types } from '../store/postgres/session.ts';
import { assertSameSchema, POSTGRES_PARTS, type SchemaPart } from './schema-parts.ts';
import { StoreError } from '../store/store-error.ts';

/** The first key of the advisory lock for starting processes; the second is a hash of the schema's name. */
const LOCK = 0x526f7374;

type PostgresMigration = Readonly<{
  url: string;
  schema?: string | undefined;
  migrations: readonly Migration[];
  log?: Pick<Log, 'info' | 'warn'> | undefined;
}>;

/** Migrates a PostgreSQL schema. Backups are up to the administrator. */
export function migratePostgres({ url, schema, migrations, log }: PostgresMigration): Promise<void> {
  return onClient({ url, schema, log }, async (client) => {
    const done: Migration[] = [];
    try {
      for (let next = await step(client, migrations); next; next = await step(client, migrations)) done.push(next);
    } finally {
      logMigrated(done, log);
    }
  });
}

/** Makes the schema in an empty database and fills it, all or nothing. */
export function createPostgres(
  { url, migrations }: Pick<PostgresMigration, 'url' | 'migrations'>,
  fill: (client: pg.Client) => Promise<void>,
): Promise<void> {
  return onClient({ url }, async (client) => {
    await client.query('begin');
    const applied = await lockAndRead(client);
    if (applied.length > 0) throw new StoreError('the database of DATABASE_URL is in use');
    for (const migration of migrations) await migrateOne(client, migration);
    await fill(client);
    await client.query('commit');
  });
}

async function onClient(
  { url, schema, log }: Omit<PostgresMigration, 'migrations'>,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'rostra', types });
  logLoss(client, log);
  try {
    await client.connect();
  } catch (error) {
    throw new StoreError(`cannot reach the database of DATABASE_URL: ${reason(error)}`, { cause: error });
  }
  try {
    await settle(client, 'migrating', schema);
    await work(client);
  } finally {
    await client.end();
  }
}

/** Runs the first pending migration, if there is one, while holding the lock. */
async function step(client: pg.Client, migrations: readonly Migration[]): Promise<Migration | undefined> {
  await client.query('begin');
  try {
    const applied = await lockAndRead(client);
    const [next] = pending(applied, migrations, 'postgres');
    const lacking = unrecorded(applied, migrations);
    if (lacking.length > 0) {
      await assertMadeBy(client, migrations.slice(0, applied.length));
      await recordChecksums(client, lacking);
    }
    if (next) await migrateOne(client, next);
    await client.query('commit');
    return next;
  } catch (error) {
    // If the connection is lost everything is rolled back anyway, and the first error says more.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function lockAndRead(client: pg.Client): Promise<Applied[]> {
  const { rows: where } = await client.query<{ schema: string | null }>('select current_schema() as schema');
  if (where[0]!.schema === null) throw new StoreError('the database of DATABASE_URL has no schema to work in');
  await client.query('select pg_advisory_xact_lock($1, hashtext(current_schema()))', [LOCK]);
  await client.query(
    'create table if not exists schema_migrations (version int primary key, name text not null, checksum text)',
  );
  await client.query(
    'create table if not exists store_epoch (one int primary key check (one = 1), value bigint not null)',
  );
  await client.query('insert into store_epoch (one, value) values (1, 0) on conflict do nothing');
  // Read the column as JSON, because old tables do not have it.
  const applied = `
    select version, name, to_jsonb(schema_migrations) ->> 'checksum' as checksum from schema_migrations order by version`;
  return (await client.query<Applied>(applied)).rows;
}

/** Throws if these migrations would make a different schema, by running them on temporary tables. */
async function assertMadeBy(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  const { rows: found } = await client.query<SchemaPart>(POSTGRES_PARTS);
  await client.query('savepoint compare');
  await client.query('set local search_path to pg_temp');
  for (const migration of migrations) await run(client, migration);
  const { rows: expected } = await client.query<SchemaPart>(POSTGRES_PARTS);
  await client.query('rollback to savepoint compare');
  assertSameSchema(found, expected);
}

async function recordChecksums(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  await client.query('alter table schema_migrations add column if not exists checksum text');
  for (const { version, checksums } of migrations) {
    await client.query('update schema_migrations set checksum = $1 where version = $2', [checksums!.postgres, version]);
  }
}

function run(client: pg.Client, migration: Migration): Promise<void> {
  const builder = builderOn<never>('postgres', async (query) =>
    resultOf(await client.query(query.sql, [...query.parameters])),
  );
  return migration.up(builder, 'postgres');
}

async function migrateOne(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await run(client, migration);
    const { version, name, checksums } = migration;
    const record = 'insert into schema_migrations (version, name, checksum) values ($1, $2, $3)';
    await client.query(record, [version, name, checksums?.postgres ?? null]);
  } catch (error) {
    throw failureOf(migration, error);
  }
}

/** The driver wraps the errors of several addresses in one error, which has no message of its own. */
function reason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reason).join(', ');
  return error instanceof Error ? error.message : String(error);
}
