import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore } from '../../db/store/open.ts';
import { productStore } from '../../db/store/store.ts';
import { makeUsers } from '../../src/engine/users/index.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { makeSealer } from '../../src/kernel/seal.ts';
import { sha256 } from '../../src/kernel/sign.ts';
import { checkCanary } from '../../src/compose/keyring.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const MASTER_KEY = '11'.repeat(32);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rostra-key-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command in a process of its own, on the data folder of this test. */
function create(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const env = { PATH: process.env['PATH'], DATA_DIR: folder, MASTER_KEY };
  const child = spawn(process.execPath, [MAIN, 'key', 'create', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    let [out, err] = ['', ''];
    child.stdout.on('data', (part) => (out += part));
    child.stderr.on('data', (part) => (err += part));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

async function withStore<T>(work: (store: ReturnType<typeof productStore>) => Promise<T>): Promise<T> {
  const bare = await openStore({ file: join(folder, 'rostra.db'), log: makeLog('silent') });
  try {
    await checkCanary(bare, makeSealer([MASTER_KEY]));
    return await work(productStore(bare, systemClock));
  } finally {
    await bare.close();
  }
}

/** The owner and a second user; ids by e-mail address. */
function furnish(): Promise<Record<string, string>> {
  return withStore(async (store) => {
    const users = makeUsers({ store, clock: systemClock, defaultPlan: 'free', revokeAll: async () => {}, forget() {} });
    const ids: Record<string, string> = {};
    for (const email of ['owner@example.org', 'second@example.org'])
      ids[email] = (await users.create(email, 'Somebody'))!.userId;
    return ids;
  });
}

const keys = () => withStore(({ db }) => db.selectFrom('keys').selectAll().orderBy('created_at').execute());

it('prints a key of the owner, or of the user who is named, alone', async () => {
  const users = await furnish();
  const made = [
    await create('--name', 'Bot'),
    await create('--name', 'Other', '--email', ' Second@Example.org', '--scopes', 'posts:read, accounts:read,'),
  ];
  for (const { code, out } of made)
    expect([code, out]).toEqual([0, expect.stringMatching(/^rostra_key_[0-9a-f]{62}\n$/)]);
  const [first, second] = await keys();
  expect(first).toMatchObject({
    name: 'Bot',
    user_id: users['owner@example.org'],
    scopes: [],
    hash: sha256(made[0]!.out.trim()),
  });
  expect(second).toMatchObject({
    name: 'Other',
    user_id: users['second@example.org'],
    scopes: ['posts:read', 'accounts:read'],
    hash: sha256(made[1]!.out.trim()),
  });
});

it('makes no key without limits out of limits that are empty, nor one of nobody', async () => {
  await furnish();
  for (const [args, said] of [
    [['--scopes', ''], /--scopes is empty/],
    [['--scopes', ' , '], /--scopes is empty/],
    [['--brands', ''], /--brands is empty/],
    [['--scopes', 'posts:fly'], /no scope posts:fly/],
    [['--email', 'nobody@example.org'], /no such user/],
    [['--email', ''], /no such user/],
  ] as const) {
    const { code, out, err } = await create('--name', 'Bot', ...args);
    expect([args, code, out, err]).toEqual([args, 1, '', expect.stringMatching(said)]);
    // One line for the operator, no stack.
    expect(err.trimEnd()).toMatch(/^rostra: [^\n]*$/);
  }
  expect(await keys()).toEqual([]);
});
