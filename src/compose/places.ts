import { join } from 'node:path';
import type { Config } from '../kernel/config.ts';
import type { Log } from '../kernel/log.ts';

/** Where the data of a configuration is. */
export function placeOf(config: Config, log: Log) {
  return config.databaseUrl === undefined
    ? { file: join(config.dataDir, 'rostra.db'), log }
    : { url: config.databaseUrl, log };
}

/** The name this server reaches itself by. */
export function selfName(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
