import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '#db/store/open.ts';
import { CANARY } from '#db/schema/sealed.ts';
import { readSetting, settleSetting } from '#db/store/settings.ts';
import { type Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { makeFolders } from '#kernel/folders.ts';
import { randomHex } from '#kernel/ids.ts';
import { makeSealer, opens, type Sealer } from '#kernel/seal.ts';
import { tableOf } from '#kernel/text/table.ts';

/** The beginning of the complaint; what to do about it follows. */
export const WRONG_KEY = 'the master key (of MASTER_KEY, MASTER_KEY_FILE or DATA_DIR) does not open this database';

/** The file with the master keys, unless MASTER_KEY is set. */
export const keyFileOf = ({
  masterKeyFile,
  dataDir,
}: Pick<Config, 'dataDir'> & Partial<Pick<Config, 'masterKeyFile'>>) => masterKeyFile ?? join(dataDir, 'master.key');

export const hasKey = (config: Config): boolean => config.masterKeys.length > 0 || existsSync(keyFileOf(config));

/** MASTER_KEY, else MASTER_KEY_FILE, else a file in DATA_DIR from the first start; not created for a database, unless `anew`. */
export function openKeyRing(
  config: Pick<Config, 'masterKeys' | 'dataDir' | 'databaseUrl'> & Partial<Pick<Config, 'masterKeyFile'>>,
  { anew = false }: Readonly<{ anew?: boolean }> = {},
): Sealer {
  if (config.masterKeys.length > 0) return makeSealer(config.masterKeys);
  if (config.masterKeyFile !== undefined) return makeSealer(keysIn(config.masterKeyFile, 'MASTER_KEY_FILE '));
  const file = keyFileOf(config);
  if (!existsSync(file)) {
    if (!anew && existsSync(join(config.dataDir, 'rostra.db'))) {
      throw new ConfigError(
        `MASTER_KEY is not set and ${file} is missing, but a database exists; restore the key (if it is lost: docs/running.md, "If the master key is lost")`,
      );
    }
    writeOnce(file, randomHex(32) + '\n');
  }
  return makeSealer(keysIn(file));
}

/** The keys in a file, one per line, newest first. */
function keysIn(file: string, setting = ''): readonly string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `${setting}${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`,
    );
  }
  const keys = text.split(/[\s,]+/).filter((key) => key !== '');
  if (keys.length === 0 || !keys.every((key) => /^[0-9a-f]{64}$/i.test(key)))
    throw new ConfigError(`${setting}${file} must hold 64 hex characters, or several such keys, the newest first`);
  return keys;
}

/** Writes a temporary file and links it when it is complete: half a key would break every later start. */
function writeOnce(file: string, text: string): void {
  const draft = `${file}.${randomHex(6)}`;
  const handle = openSync(draft, 'w', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
    linkSync(draft, file);
  } catch (error) {
    // Another process created the file first; its key is used.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(handle);
    rmSync(draft, { force: true });
  }
}

/** Creates DATA_DIR, or says in one line why that fails. */
export function openDataDir(dataDir: string): void {
  try {
    makeFolders(dataDir);
    testFolder(dataDir);
  } catch (error) {
    // Without the name of the file, which differs each time.
    const [reason = ''] = (error as Error).message.split(',');
    const hint = FOLDER_HINTS.get((error as NodeJS.ErrnoException).code ?? '');
    throw new ConfigError(`DATA_DIR ${dataDir} cannot be written: ${reason}${hint === undefined ? '' : `; ${hint}`}`);
  }
}

const FOLDER_HINTS: ReadonlyMap<string, string> = tableOf({
  EACCES: 'run this as the user of the server, which must own the folder',
  EROFS: 'mount its disk for writing',
  ENOSPC: 'make room on its disk',
  EDQUOT: 'make room on its disk',
});

/** Writes a file into a folder and removes it, also if the disk is full. */
function testFolder(folder: string): void {
  const file = join(folder, `.write-test-${randomHex(6)}`);
  const probe = openSync(file, 'w', 0o600);
  try {
    writeSync(probe, 'ok');
  } finally {
    closeSync(probe);
    rmSync(file, { force: true });
  }
}

/** Stops the start if no key can decrypt the store's test value. */
export async function checkCanary(store: Store, sealer: Sealer): Promise<void> {
  const { name, context } = CANARY;
  const sealed =
    (await readSetting(store.db, name)) ??
    (await store.write((tx) => settleSetting(tx.db, name, sealer.seal(name, context))));
  if (!opens(sealer, sealed, context)) throw new ConfigError(`${WRONG_KEY}; start with the key it was made with`);
}
