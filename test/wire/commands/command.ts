import { join } from 'node:path';
import { beforeEach } from 'vitest';
import { openStore } from '#db/store/open.ts';
import { productStore } from '#db/outbox/outbox.ts';
import type { Store } from '#db/store/store.ts';
import { checkCanary } from '#compose/keyring.ts';
import { makeUsers } from '#engine/users/index.ts';
import { systemClock } from '#kernel/clock.ts';
import { makeLog } from '#kernel/log.ts';
import { makeSealer } from '#kernel/seal.ts';
import { makeFolder } from '../../harness/folders.ts';
import { runCommand } from '../clients/product.ts';

const MASTER_KEY = '11'.repeat(32);

/** Each test of a file has a data folder: commands run on it, and the test looks into its database. */
export function useDataFolder() {
  let folder: string;
  beforeEach(() => {
    folder = makeFolder();
  });

  async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const bare = await openStore({ file: join(folder, 'rostra.db'), log: makeLog({ level: 'silent' }) });
    try {
      await checkCanary(bare, makeSealer([MASTER_KEY]));
      return await work(productStore(bare, systemClock));
    } finally {
      await bare.close();
    }
  }
  return {
    withStore,
    run: (args: readonly string[], ...input: readonly Uint8Array[]) =>
      runCommand(args, { DATA_DIR: folder, MASTER_KEY, LOG_LEVEL: 'info' }, { input }),
    /** Makes users without a password; answers their ids by e-mail address. */
    addUsers: (...emails: readonly string[]) =>
      withStore(async (store) => {
        const clock = systemClock;
        const users = makeUsers({
          store,
          clock,
          defaultPlan: 'free',
          readyRevoke: async () => async () => {},
          forget() {},
        });
        const ids: Record<string, string> = {};
        for (const email of emails) ids[email] = (await users.create(email, 'Somebody'))!.userId;
        return ids;
      }),
  };
}
