import { join } from 'node:path';
import type { Store } from '#db/store/open.ts';
import { readSetting, settleSetting } from '#db/store/settings.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { randomHex } from '#kernel/ids.ts';
import type { Log } from '#kernel/log.ts';
import type { Outbound } from '#kernel/net/request.ts';
import type { MediaFiles } from './files.ts';
import { localFiles } from './local-files.ts';

type MediaFilesDeps = Readonly<{
  config: Pick<Config, 'dataDir' | 'mediaBucket'>;
  store: Pick<Store, 'db' | 'write'>;
  outbound: Pick<Outbound, 'send'>;
  clock: Clock;
  log: Pick<Log, 'warn'>;
}>;

const OWNER = 'media_owner';
/** How long the start of the server waits for the storage. */
const START_MS = 3_000;

/** Opens the disk or the bucket. A foreign or refusing bucket stops the start; one that is unreachable does not. */
export async function openMediaFiles({ config, store, outbound, clock, log }: MediaFilesDeps): Promise<MediaFiles> {
  const local = localFiles(join(config.dataDir, 'media'));
  const settings = config.mediaBucket;
  if (!settings) return local;
  // Loaded only if a bucket is configured.
  const { makeBucket, StorageError } = await import('./bucket.ts');
  const { withOlderFiles, bucketFiles } = await import('./bucket-files.ts');
  const owner =
    (await readSetting(store.db, OWNER)) ?? (await store.write(({ db }) => settleSetting(db, OWNER, randomHex(16))));
  const open = (deadlineMs?: number) => {
    const bucket = makeBucket({ settings, outbound, clock, deadlineMs });
    return bucketFiles({ bucket, spoolDir: join(config.dataDir, 'spool'), owner });
  };
  const ours = await open(START_MS)
    .isOurs()
    .catch((error: unknown) => {
      if (!(error instanceof StorageError)) throw error;
      if (error.refused) throw new ConfigError(`MEDIA_S3_BUCKET cannot be used: ${error.because}`);
      log.warn({ error: error.cause }, 'the media storage does not answer');
      return true;
    });
  if (!ours) {
    throw new ConfigError('MEDIA_S3_BUCKET belongs to another installation: its object rostra-owner names another one');
  }
  return withOlderFiles(open(), local);
}
