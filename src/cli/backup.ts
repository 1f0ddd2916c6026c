import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { dumpPostgres, summaryOfPostgres } from '#db/store/postgres/dump.ts';
import { copySqlite, summaryOfSqlite, type StoreSummary } from '#db/store/sqlite/snapshot.ts';
import { CANARY } from '#db/schema/sealed.ts';
import { isoTime, systemClock } from '#kernel/clock.ts';
import { childEnv, readConfig, type Config } from '#kernel/config/config.ts';
import { settingsText } from '#kernel/config/names.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { opens, type Sealer } from '#kernel/seal.ts';
import { isMediaFolder } from '#engine/media/storage/local-files.ts';
import { openKeyRing, WRONG_KEY } from '#compose/keyring.ts';
import { version } from '#compose/package.ts';
import { platforms } from '#platforms/index.ts';
import {
  isKnownPath,
  MANIFEST,
  manifestOf,
  POSTGRES_FILE,
  SANDBOX_FILE,
  SETTINGS_FILE,
  SQLITE_FILE,
  type Listed,
  type Manifest,
} from './archive/manifest.ts';
import { hashed, writeTar, type Entry } from './archive/tar.ts';

/** A file to be saved: where it is, or what it says. */
type Source = Readonly<{ path: string; from: string } | { path: string; text: string }>;

/** Saves the store of a server, which may be running, with its media, sandbox and settings; `-` writes to standard output. */
export async function backUp(target: string | undefined): Promise<void> {
  if (target === undefined || target === '') throw new ConfigError('backup needs a file, or - for standard output');
  const config = readConfig(platforms.values());
  const database = join(config.dataDir, SQLITE_FILE);
  if (config.databaseUrl === undefined && !existsSync(database))
    throw new ConfigError(
      `there is no database ${database} that this user can see; set DATA_DIR or DATABASE_URL as for the server, and run this as its user`,
    );
  const sealer = openKeyRing(config);
  const scratch = mkdtempSync(join(config.dataDir, '.backup-'));
  try {
    const madeAt = isoTime(systemClock.now());
    const { sources, summary } = await copyStore(config, scratch);
    refuseUnusable(summary, sealer);
    const manifest = await send(target, [...sources, ...mediaOf(config), settings()], (files) =>
      manifestOf({
        version,
        made_at: madeAt,
        store: config.databaseUrl === undefined ? 'sqlite' : 'postgres',
        schema_version: summary.schemaVersion,
        key_ids: [...sealer.keyIds],
        ...(summary.home !== undefined && { home: JSON.parse(summary.home) as Manifest['home'] }),
        bucket: config.mediaBucket !== undefined,
        files: [...files],
      }),
    );
    process.stderr.write(reportOf(target, manifest));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Copies the database first, so that what it refers to is saved after it. */
async function copyStore(config: Config, scratch: string) {
  const sources: Source[] = [];
  let summary: StoreSummary;
  if (config.databaseUrl === undefined) {
    const copy = join(scratch, SQLITE_FILE);
    copySqlite(join(config.dataDir, SQLITE_FILE), copy);
    summary = summaryOfSqlite(copy);
    sources.push({ path: SQLITE_FILE, from: copy });
  } else {
    const there = await summaryOfPostgres(config.databaseUrl);
    if (there === undefined) throw new ConfigError('the database of DATABASE_URL is empty');
    summary = there;
    const dump = join(scratch, POSTGRES_FILE);
    await dumpPostgres(config.databaseUrl, dump);
    sources.push({ path: POSTGRES_FILE, from: dump });
  }
  const sandbox = join(config.dataDir, SANDBOX_FILE);
  if (existsSync(sandbox)) {
    copySqlite(sandbox, join(scratch, SANDBOX_FILE));
    sources.push({ path: SANDBOX_FILE, from: join(scratch, SANDBOX_FILE) });
  }
  return { sources, summary };
}

/** Refuses a database that the key does not open or that is still being created: nobody could use the backup. */
function refuseUnusable({ sealed }: StoreSummary, sealer: Sealer): void {
  if (sealed === undefined)
    throw new ConfigError('the database is still being created; try again once the server has started');
  if (!opens(sealer, sealed, CANARY.context)) throw new ConfigError(`${WRONG_KEY}; set the key of the server`);
}

/** The media in DATA_DIR, without what others put there, such as the `lost+found` of a disk. */
function mediaOf({ dataDir }: Config): readonly Source[] {
  const root = join(dataDir, 'media');
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .filter((folder) => isMediaFolder(folder) && statSync(join(root, folder)).isDirectory())
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `media/${folder}/${name}`))
    .filter(isKnownPath)
    .map((path) => ({ path, from: join(dataDir, path) }));
}

const settings = (): Source => ({ path: SETTINGS_FILE, text: settingsText(platforms.values(), childEnv()) });

/** Writes the archive; a file has its name only once it is complete and on the disk. */
async function send(
  target: string,
  sources: readonly Source[],
  describe: (files: readonly Listed[]) => Manifest,
): Promise<Manifest> {
  let manifest: Manifest | undefined;
  async function* entries(): AsyncGenerator<Entry> {
    const files: Listed[] = [];
    for (const source of sources) {
      const entry = await entryOf(source);
      if (entry === undefined) continue;
      const hash = createHash('sha256');
      yield { ...entry, body: hashed(entry.body, hash) };
      files.push({ path: entry.path, bytes: entry.size, sha256: hash.digest('hex') });
    }
    manifest = describe(files);
    yield textEntry(MANIFEST, `${JSON.stringify(manifest, undefined, 2)}\n`);
  }
  const archive = Readable.from(writeTar(entries(), systemClock.now() / 1000));
  try {
    if (target === '-') await pipeline(archive, process.stdout as Writable);
    else await writeWhole(archive, target);
  } catch (error) {
    const { path, syscall = '', message } = error as NodeJS.ErrnoException;
    // A write to a full disk does not say where.
    if (path !== undefined || !WRITES.has(syscall)) throw error;
    throw new ConfigError(`${nameOf(target)}: ${message}`);
  }
  return manifest!;
}

const WRITES: ReadonlySet<string> = new Set(['write', 'fsync', 'close']);

async function writeWhole(archive: Readable, target: string): Promise<void> {
  if (existsSync(target)) throw new ConfigError(`${target} exists already; name another file`);
  const part = `${target}.part`;
  try {
    rmSync(part, { force: true });
    await pipeline(archive, createWriteStream(part, { mode: 0o600, flags: 'wx' }));
    const written = await open(part, 'r+');
    await written.sync();
    await written.close();
    await rename(part, target);
    await syncFolder(dirname(target));
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** So that the new name survives a power cut, too; some file systems do not sync folders. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

/** A file with the size it has now; undefined for media that were removed meanwhile, and for what is no file. */
async function entryOf(source: Source): Promise<Entry | undefined> {
  if ('text' in source) return textEntry(source.path, source.text);
  const { path, from } = source;
  const size = await stat(from).then(
    (found) => (found.isFile() ? found.size : undefined),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    },
  );
  if (size === undefined) return undefined;
  return { path, size, body: createReadStream(from) as AsyncIterable<Uint8Array> };
}

function textEntry(path: string, text: string): Entry {
  const bytes = Buffer.from(text);
  return { path, size: bytes.length, body: Readable.from([bytes]) };
}

const nameOf = (target: string) => (target === '-' ? 'standard output' : target);

const MEGABYTE = 1_000_000;

function reportOf(target: string, { files, store, schema_version, key_ids, bucket }: Manifest): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const media = files.filter(({ path }) => path.startsWith('media/')).length;
  const parts = [
    `the database (${store === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, schema version ${schema_version})`,
    ...(files.some(({ path }) => path === SANDBOX_FILE) ? ['the sandbox'] : []),
    `media files (${media})`,
    'the settings without secrets',
  ];
  return [
    `Saved ${(bytes / MEGABYTE).toFixed(1)} MB to ${nameOf(target)}: ${parts.join(', ')}.`,
    `The master key (id ${key_ids[0]!}) is not in it: keep a copy of the key elsewhere, as nothing opens without it.`,
    ...(bucket ? ['Media in the bucket are not in it: copy the bucket too.'] : []),
    '',
  ].join('\n');
}
