import { spawn } from 'node:child_process';
import pg from 'pg';
import { childEnv } from '#kernel/config/config.ts';
import { CANARY } from '../../schema/sealed.ts';
import { HOME } from '../settings.ts';
import { StoreError } from '../store-error.ts';
import type { StoreSummary } from '../sqlite/snapshot.ts';
import { CONNECT_MS } from './session.ts';

/** Dumps a database as it is at one moment; it may be in use. */
export function dumpPostgres(url: string, target: string): Promise<void> {
  return run('pg_dump', ['--format=custom', '--no-owner', '--no-privileges', `--file=${target}`], url);
}

/** Restores a dump into an empty database in one transaction, and writes settings before a server can see it. */
export async function restorePostgres(
  url: string,
  dump: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const database = decodeURIComponent(new URL(url).pathname.slice(1));
  const how = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges'];
  await run('pg_restore', [...how, `--dbname=${database}`, dump], url);
  await onClient(url, async (client) => {
    for (const pair of Object.entries(settings)) {
      await client.query(
        'insert into settings (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
        pair,
      );
    }
  });
}

/** Reads the summary of a database; undefined if the database is empty. */
export function summaryOfPostgres(url: string): Promise<StoreSummary | undefined> {
  return onClient(url, async (client) => {
    const { rows: found } = await client.query<{ there: boolean }>(
      "select to_regclass('schema_migrations') is not null as there",
    );
    if (found[0]?.there !== true) return undefined;
    const { rows: versions } = await client.query<{ version: number | null }>(
      'select max(version) as version from schema_migrations',
    );
    const { rows } = await client.query<{ name: string; value: string }>('select name, value from settings');
    const setting = (name: string) => rows.find((row) => row.name === name)?.value;
    return { schemaVersion: versions[0]?.version ?? 0, sealed: setting(CANARY.name), home: setting(HOME) };
  });
}

async function onClient<R>(url: string, work: (client: pg.Client) => Promise<R>): Promise<R> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'rostra backup',
    connectionTimeoutMillis: CONNECT_MS,
  });
  // Without a listener, a broken connection would end the process. The running query fails with the same error.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    throw new StoreError(`cannot reach the database of DATABASE_URL: ${(error as Error).message}`, { cause: error });
  }
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs a PostgreSQL program. The password is not an argument, because other users could see it. */
async function run(program: string, args: readonly string[], url: string): Promise<void> {
  const child = spawn(program, args, {
    env: childEnv(addressOf(url)),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said = (said + part).slice(-2000)));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'ENOENT'
          ? new StoreError(
              `${program} is not installed here; install the client programs of PostgreSQL, or run it elsewhere`,
            )
          : error,
      ),
    );
    child.on('close', resolve);
  });
  if (code !== 0) throw new StoreError(`${program} failed: ${said.trim().replaceAll(/\s*\n\s*/g, '; ')}`);
}

/** The URL as environment variables, in the form these programs read. */
export function addressOf(text: string): Readonly<Record<string, string>> {
  const url = new URL(text);
  const sslmode = url.searchParams.get('sslmode');
  const given: Readonly<Record<string, string | null>> = {
    PGHOST: url.searchParams.get('host') ?? url.hostname.replace(/^\[(.*)\]$/, '$1'),
    PGPORT: url.port,
    PGUSER: decodeURIComponent(url.username),
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: decodeURIComponent(url.pathname.slice(1)),
    // Only the driver knows `no-verify`, a connection that does not check the certificate.
    PGSSLMODE: sslmode === 'no-verify' ? 'require' : sslmode,
    PGSSLROOTCERT: url.searchParams.get('sslrootcert'),
  };
  const set = Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== null && pair[1] !== '');
  return Object.fromEntries(set);
}
