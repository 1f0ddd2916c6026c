import { openStore } from '#db/store/open.ts';
import { productStore } from '#db/outbox/outbox.ts';
import { CANARY } from '#db/schema/sealed.ts';
import { readSetting } from '#db/store/settings.ts';
import { forgetSealed } from '#db/upkeep/forget.ts';
import { isInUse } from '#engine/jobs/processes.ts';
import { openKeyRing } from '#compose/keyring.ts';
import { storeOptions } from '#compose/store-options.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { opens } from '#kernel/seal.ts';
import { openCliBasics } from './world.ts';

const WARNING =
  'this gives up every secret that the lost master key encrypted, for good: all accounts have to be connected again, and webhook endpoints and apps of customers created anew. Posts, users, keys, media and history stay. Stop the server, make a backup, and add --yes';

const IN_USE =
  'a server works on this database, so its master key is not lost: nothing was changed. Run this command with the same settings, or stop the server first';

/** For a lost master key: discards everything it encrypted, so that the server starts with another key. */
export async function forgetSecrets({ yes = false }: Readonly<{ yes?: boolean | undefined }>): Promise<void> {
  const { config, clock, log } = openCliBasics({ logTo: process.stderr });
  if (!yes) throw new ConfigError(WARNING);
  const bare = await openStore(storeOptions(config, log));
  try {
    const store = productStore(bare, clock);
    if (await isInUse(store)) throw new ConfigError(IN_USE);
    // Creates a new key in DATA_DIR if the old one is gone.
    const sealer = openKeyRing(config, { anew: true });
    const canary = await readSetting(store.db, CANARY.name);
    if (canary === undefined || opens(sealer, canary, CANARY.context))
      throw new ConfigError('the master key opens this database: nothing is lost, and nothing was changed');
    const forgotten = await forgetSealed(store, { sealer, now: clock.now() });
    const count = (name: Parameters<typeof forgotten.get>[0]) => forgotten.get(name) ?? 0;
    process.stdout.write(
      [
        `The secrets of the lost key are given up; the key is ${sealer.keyIds[0]!} now. To be done in the dashboard:`,
        `- accounts to be connected again: ${count('accounts')}`,
        `- webhook endpoints that are off, to be deleted and created again for a new secret: ${count('endpoints')}`,
        `- apps of customers to be entered again: ${count('apps')}`,
        `- invites to be created again: ${count('invites')}`,
        `- keys of other providers to be entered again: ${count('migrations')}`,
        'API keys and passwords stay valid; links to media that were given out are not.',
        '',
      ].join('\n'),
    );
  } finally {
    await bare.close();
  }
}
