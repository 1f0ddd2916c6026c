import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { migrations } from '#db/migrations/index.ts';
import { refuseNewer } from '#db/migrate/migrate.ts';
import { copyToPostgres } from '#db/migrate/to-postgres.ts';
import { HOME } from '#db/store/settings.ts';
import { summaryOfPostgres, restorePostgres } from '#db/store/postgres/dump.ts';
import { faultOfSqlite, settleSqlite } from '#db/store/sqlite/snapshot.ts';
import { readConfig, type Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { hasKey, keyFileOf, openDataDir, openKeyRing } from '#compose/keyring.ts';
import { platforms } from '#platforms/index.ts';
import {
  isKnownPath,
  MANIFEST,
  POSTGRES_FILE,
  readManifest,
  SANDBOX_FILE,
  SETTINGS_FILE,
  SQLITE_FILE,
  type Listed,
  type Manifest,
} from './archive/manifest.ts';
import { hashed, readTar, type Entry } from './archive/tar.ts';

/** Restores a backup into an empty DATA_DIR or database, after checking all of it; `-` reads standard input. */
export async function restore(source: string | undefined): Promise<void> {
  if (source === undefined || source === '') throw new ConfigError('restore needs a file, or - for standard input');
  const config = readConfig(platforms.values());
  openDataDir(config.dataDir);
  await refuseUsed(config);
  const scratch = mkdtempSync(join(config.dataDir, '.restore-'));
  try {
    const input = source === '-' ? process.stdin : createReadStream(source);
    const manifest = await unpack(input, scratch);
    refuseUnfit(config, manifest);
    await putInPlace(config, scratch, manifest);
    process.stdout.write(reportOf(config, manifest));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Refuses a place that is in use: a backup never replaces anything. */
async function refuseUsed({ dataDir, databaseUrl }: Config): Promise<void> {
  const ours = databaseUrl === undefined ? [SQLITE_FILE, SANDBOX_FILE] : [SANDBOX_FILE];
  const used = ours.filter((name) => existsSync(join(dataDir, name)));
  if (filesIn(join(dataDir, 'media')) > 0) used.push('media');
  if (used.length > 0) {
    throw new ConfigError(
      `DATA_DIR ${dataDir} is in use (${used.join(', ')}): restore into an empty folder, or move these away first, with rostra.db-wal and rostra.db-shm`,
    );
  }
  if (databaseUrl !== undefined && (await summaryOfPostgres(databaseUrl)) !== undefined)
    throw new ConfigError('the database of DATABASE_URL is in use: restore into an empty one');
}

function filesIn(folder: string): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
}

/** Unpacks an archive into a folder, and checks it against its manifest. */
async function unpack(input: AsyncIterable<Uint8Array>, folder: string): Promise<Manifest> {
  const found: Listed[] = [];
  let manifest = '';
  await readTar(input, async ({ path, size, body }: Entry) => {
    if (!isKnownPath(path))
      throw new ConfigError(`the archive holds ${JSON.stringify(path)}, which is no part of a backup`);
    if (path === MANIFEST) return void (manifest = await textOf(Readable.from(body)));
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    const hash = createHash('sha256');
    await pipeline(hashed(body, hash), createWriteStream(target, { mode: 0o600, flags: 'wx' }));
    found.push({ path, bytes: size, sha256: hash.digest('hex') });
  });
  if (manifest === '') throw new ConfigError('this is no backup, or not a whole one: its manifest is missing');
  return readManifest(manifest, found);
}

function refuseUnfit({ databaseUrl }: Config, { store, schema_version: version }: Manifest): void {
  if (store === 'postgres' && databaseUrl === undefined)
    throw new ConfigError('this is a backup of a PostgreSQL database: set DATABASE_URL to an empty one');
  refuseNewer([{ version, name: '' }], migrations);
}

/** Moves the parts into place: a PostgreSQL database first, because it may fail, a SQLite file last. */
async function putInPlace({ dataDir, databaseUrl }: Config, scratch: string, manifest: Manifest): Promise<void> {
  const home = { [HOME]: JSON.stringify({ ...manifest.home, claimed: undefined, backupOf: manifest.made_at }) };
  const database = join(scratch, SQLITE_FILE);
  if (manifest.store === 'postgres') {
    await restorePostgres(databaseUrl!, join(scratch, POSTGRES_FILE), home);
  } else {
    const fault = faultOfSqlite(database, 'integrity_check');
    if (fault !== undefined) throw new ConfigError(`the database of the backup is damaged: ${fault}`);
    settleSqlite(database, home);
    if (databaseUrl !== undefined) await copyToPostgres(database, databaseUrl, migrations);
  }
  const move = (from: string, to = from) => {
    if (existsSync(join(scratch, from))) renameSync(join(scratch, from), join(dataDir, to));
  };
  rmSync(join(dataDir, 'media'), { recursive: true, force: true });
  move('media');
  move(SANDBOX_FILE);
  move(SETTINGS_FILE, `restored-${SETTINGS_FILE}`);
  // The write-ahead log of a database that is gone must not be mixed with another one.
  for (const name of [SQLITE_FILE, SANDBOX_FILE])
    for (const end of ['-wal', '-shm']) rmSync(join(dataDir, name + end), { force: true });
  if (databaseUrl === undefined) move(SQLITE_FILE);
}

function reportOf(config: Config, { made_at, version, files, key_ids, bucket }: Manifest): string {
  return [
    `Restored ${files.length} files of a backup that Rostra ${version} made at ${made_at}, all of them as they were saved.`,
    keyLine(config, key_ids),
    ...(bucket ? ['Its media are in a bucket: restore the bucket too, and set MEDIA_S3_… to the copy.'] : []),
    `The settings it was made with are in restored-${SETTINGS_FILE}, without secrets.`,
    'A server starts paused on it, and does not publish, send or fetch anything until `rostra take-over`.',
    '',
  ].join('\n');
}

/** Says which key opens the backup, and whether it is present. */
function keyLine(config: Config, ids: readonly string[]): string {
  const wanted = ids.join(' or ');
  if (!hasKey(config))
    return `Put the master key with the id ${wanted} into ${keyFileOf(config)} or MASTER_KEY before the start.`;
  const has = openKeyRing(config).keyIds.some((id) => ids.includes(id));
  return has
    ? `The master key here opens it (id ${wanted}).`
    : `The master key here is another one: set the key with the id ${wanted} before the start.`;
}
