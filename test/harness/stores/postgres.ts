import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import pg from 'pg';

/** The folder of the server's programs: on the path, or where Debian keeps them out of it. */
function findPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...path()];
  return folders.find((folder) => ['initdb', 'postgres', 'pg_isready'].every((name) => existsSync(join(folder, name))));
}

function path(): string[] {
  return (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
}

const programs = findPrograms();

/** Why tests on PostgreSQL are skipped here; undefined where they run. */
export const noPostgres = programs === undefined ? 'initdb is not installed' : undefined;

/** All workers of a test run share one cluster: threads have the id of the run, forks are its children. */
const run = isMainThread ? process.ppid : process.pid;

let cluster: Promise<string> | undefined;
let own = 0;

/** The URL of this test run's PostgreSQL, which is started by whoever asks first and ends with the run. */
export function postgresUrl(): Promise<string> {
  cluster ??= startCluster(join(tmpdir(), `rostra-postgres-${run}`));
  return cluster;
}

/** A cluster of the caller's own, which it may shut down and start again; a durable one waits for the disk. */
export async function ownPostgres({ durable = false } = {}) {
  own += 1;
  const folder = join(tmpdir(), `rostra-postgres-${run}-${process.pid}-${own}`);
  const url = await startCluster(folder, durable);
  return {
    url,
    /** Shuts it down before anything else happens in this process. */
    stop(): void {
      writeFileSync(join(folder, 'pause'), '');
      while (!existsSync(join(folder, 'paused'))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    },
    async start(): Promise<void> {
      rmSync(join(folder, 'pause'));
      while (existsSync(join(folder, 'paused'))) await wait(25);
    },
  };
}

async function startCluster(folder: string, durable = false): Promise<string> {
  if (programs === undefined) throw new Error(noPostgres);
  removeStale(folder);
  try {
    mkdirSync(folder, { mode: 0o755 });
    const keeper = fileURLToPath(new URL('postgres-keeper.ts', import.meta.url));
    const args = [keeper, folder, programs, String(run), ...(durable ? ['durable'] : [])];
    const child = spawn(process.execPath, args, { detached: true, stdio: 'ignore' });
    child.unref();
    writeFileSync(join(folder, 'keeper'), String(child.pid));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  for (let tries = 2400; tries > 0; tries -= 1) {
    if (existsSync(join(folder, 'ready'))) return `postgres://rostra@/postgres?host=${encodeURIComponent(folder)}`;
    if (existsSync(join(folder, 'failed'))) throw new Error(readFileSync(join(folder, 'failed'), 'utf8'));
    await wait(25);
  }
  throw new Error('PostgreSQL did not start within a minute');
}

/** Takes away what an earlier run with the same process id left behind when its keeper was killed. */
function removeStale(folder: string): void {
  try {
    const keeper = Number(readFileSync(join(folder, 'keeper'), 'utf8'));
    if (lives(keeper)) return;
    const aside = `${folder}-${randomBytes(4).toString('hex')}`;
    renameSync(folder, aside);
    rmSync(aside, { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

type Schema = Readonly<{ url: string; schema: string }>;

/** Makes an empty schema for one test; it goes with the cluster. */
export async function freshSchema(): Promise<Schema> {
  const url = await postgresUrl();
  const schema = `test_${randomBytes(8).toString('hex')}`;
  await onPostgres(url, (client) => client.query(`create schema ${schema}`));
  return { url, schema };
}

/** Runs something on a connection of its own, as another program would. */
export async function onPostgres<R>(url: string, work: (client: pg.Client) => Promise<R>): Promise<R> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A database of its own for processes of the product: DATABASE_URL; in the run's cluster, or in another one. */
export async function freshDatabase(prefix: string, cluster?: string): Promise<string> {
  const url = cluster ?? (await postgresUrl());
  const name = `${prefix}_${randomBytes(8).toString('hex')}`;
  await onPostgres(url, (client) => client.query(`create database ${name}`));
  // DATABASE_URL names a host, as addresses do; the folder of the socket wins over it.
  return url.replace('@/postgres?', `@localhost/${name}?`);
}
