import { join } from 'node:path';
import type { StoreOptions } from '#db/store/open.ts';
import type { Config } from '#kernel/config/config.ts';
import type { Log } from '#kernel/log.ts';

export function storeOptions(config: Config, log: Log): StoreOptions {
  return config.databaseUrl === undefined
    ? { file: join(config.dataDir, 'rostra.db'), log }
    : { url: config.databaseUrl, log };
}
