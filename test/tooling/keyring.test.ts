import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { makeSealer } from '#kernel/seal.ts';
import { checkCanary, openDataDir, openKeyRing } from '#compose/keyring.ts';
import { makeFolder } from '../harness/folders.ts';
import { describeStores } from '../harness/stores/stores.ts';

const MODULE = fileURLToPath(new URL('../../src/compose/keyring.ts', import.meta.url));

/** A process that opens the key ring of every folder it is told, and says what it derives from it. */
const PROGRAM = `
const { openDataDir, openKeyRing } = await import(${JSON.stringify(MODULE)});
const { createInterface } = await import('node:readline');
process.stdout.write('ready\\n');
for await (const dataDir of createInterface({ input: process.stdin })) {
  let said;
  try {
    openDataDir(dataDir);
    said = openKeyRing({ masterKeys: [], dataDir, databaseUrl: undefined }).derive('test').export().toString('hex');
  } catch (error) {
    said = error.message;
  }
  process.stdout.write(said + '\\n');
}`;

function startProcess() {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value as string;
  return {
    ready: next(),
    ask: (dataDir: string) => {
      child.stdin.write(`${dataDir}\n`);
      return next();
    },
  };
}

const ringOf = (dataDir: string, databaseUrl?: string) => openKeyRing({ masterKeys: [], dataDir, databaseUrl });

it('processes that start at the same moment agree on one key, whole and for its owner alone', async () => {
  const folder = makeFolder();
  const processes = [startProcess(), startProcess(), startProcess()];
  await Promise.all(processes.map(({ ready }) => ready));
  for (let round = 0; round < 25; round += 1) {
    const dataDir = join(folder, `${round}`);
    const said = await Promise.all(processes.map(({ ask }) => ask(dataDir)));
    expect(said).toEqual(Array.from(said, () => expect.stringMatching(/^[0-9a-f]{64}$/)));
    expect(new Set(said).size).toBe(1);
    expect(readdirSync(dataDir)).toEqual(['master.key']);
    expect(readFileSync(join(dataDir, 'master.key'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600);
  }
});

it('a file may hold several keys, the newest first, and may be elsewhere', () => {
  const folder = makeFolder();
  const [old, fresh] = ['11', '22'].map((byte) => byte.repeat(32));
  writeFileSync(join(folder, 'master.key'), `${old}\n`);
  const sealed = ringOf(folder).seal('words', 'here');
  writeFileSync(join(folder, 'master.key'), `${fresh}\n${old}\n`);
  const both = ringOf(folder);
  expect([both.open(sealed, 'here'), both.isNewest(sealed), both.keyIds.length]).toEqual(['words', false, 2]);
  const elsewhere = join(folder, 'elsewhere.key');
  const open = () => openKeyRing({ masterKeys: [], masterKeyFile: elsewhere, dataDir: folder, databaseUrl: undefined });
  expect(open).toThrow(/MASTER_KEY_FILE .* cannot be read: ENOENT/);
  writeFileSync(elsewhere, 'no key');
  expect(open).toThrow(/must hold 64 hex characters/);
  writeFileSync(elsewhere, fresh!);
  expect(open().keyIds).toEqual([both.keyIds[0]]);
});

it('a key is kept, and none is made beside a database that was made with another', () => {
  const folder = makeFolder();
  const sealed = ringOf(folder).seal('words', 'here');
  expect(ringOf(folder).open(sealed, 'here')).toBe('words');
  writeFileSync(join(folder, 'rostra.db'), '');
  rmSync(join(folder, 'master.key'));
  expect(() => ringOf(folder)).toThrow(/restore the key/);
  expect(readdirSync(folder)).toEqual(['rostra.db']);
  writeFileSync(join(folder, 'master.key'), 'half a key');
  expect(() => ringOf(folder)).toThrow(/64 hex/);
});

it('a folder that cannot be used is one clear line', () => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'file'), '');
  expect(() => openDataDir(join(folder, 'file'))).toThrow(
    /^DATA_DIR .*file cannot be written: EEXIST: file already exists$/,
  );
  expect(() => openDataDir(join(folder, 'file', 'below'))).toThrow(
    /^DATA_DIR .*below cannot be written: ENOTDIR: not a directory$/,
  );
  openDataDir(join(folder, 'a', 'b'));
  mkdirSync(join(folder, 'a', 'b'), { recursive: true });
  expect(readdirSync(join(folder, 'a', 'b'))).toEqual([]);
});

it.runIf(process.platform === 'linux')(
  'nor does a file system that takes no folders stop the start without a word',
  () => {
    expect(() => openDataDir('/proc/rostra/data')).toThrow(
      /^DATA_DIR \/proc\/rostra\/data cannot be written: ENOENT: no such file or directory$/,
    );
  },
);

const [ONE, OTHER] = [makeSealer(['11'.repeat(32)]), makeSealer(['22'.repeat(32)])];

describeStores('the canary of a store', { kinds: ['file', 'postgres'] }, ({ open, place }) => {
  it('is settled by one of those who start at once, and known by all who have its key', async () => {
    const shared = await place();
    const stores = await Promise.all([open(shared), open(shared), open(shared)]);
    await Promise.all(stores.map((store) => checkCanary(store, ONE)));
    const others = stores.map((store) => checkCanary(store, OTHER));
    for (const { status } of await Promise.allSettled(others)) expect(status).toBe('rejected');
  });

  it('lets one of two keys that come at once have the store', async () => {
    const shared = await place();
    const [one, other] = [await open(shared), await open(shared)];
    const outcomes = await Promise.allSettled([checkCanary(one, ONE), checkCanary(other, OTHER)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});
