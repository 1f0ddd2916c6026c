import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach } from 'vitest';
import { openStore } from '../../../db/store/open.ts';
import { productStore, type Store } from '../../../db/store/store.ts';
import { checkCanary } from '../../../src/compose/keyring.ts';
import { makeUsers } from '../../../src/engine/users/index.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import { makeSealer } from '../../../src/kernel/seal.ts';
import { makeFolder } from '../../harness/folders.ts';
import { MAIN } from '../../harness/program.ts';

const MASTER_KEY = '11'.repeat(32);

export type Ended = Readonly<{ code: number | null; out: string; err: string }>;

/** Runs the product with arguments and what is typed into it, part by part, to its end. */
export function runProduct(
  args: readonly string[],
  { env = {}, stdin = [] }: Readonly<{ env?: Readonly<Record<string, string>>; stdin?: readonly Uint8Array[] }> = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env['PATH'], ...env } });
  // Whoever has nothing to read may be gone before it is written.
  child.stdin.on('error', () => {});
  for (const part of stdin) child.stdin.write(part);
  child.stdin.end();
  return new Promise((resolve, reject) => {
    let [out, err] = ['', ''];
    child.stdout.on('data', (part) => (out += part));
    child.stderr.on('data', (part) => (err += part));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

/** Each test of a file has a data folder: commands run on it, and the test looks into its database. */
export function useDataFolder() {
  let folder: string;
  beforeEach(() => {
    folder = makeFolder();
  });

  async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const bare = await openStore({ file: join(folder, 'rostra.db'), log: makeLog('silent') });
    try {
      await checkCanary(bare, makeSealer([MASTER_KEY]));
      return await work(productStore(bare, systemClock));
    } finally {
      await bare.close();
    }
  }
  return {
    withStore,
    run: (args: readonly string[], ...stdin: readonly Uint8Array[]) =>
      runProduct(args, { env: { DATA_DIR: folder, MASTER_KEY }, stdin }),
    /** Makes users without a password; answers their ids by e-mail address. */
    addUsers: (...emails: readonly string[]) =>
      withStore(async (store) => {
        const clock = systemClock;
        const users = makeUsers({ store, clock, defaultPlan: 'free', revokeAll: async () => {}, forget() {} });
        const ids: Record<string, string> = {};
        for (const email of emails) ids[email] = (await users.create(email, 'Somebody'))!.userId;
        return ids;
      }),
  };
}
