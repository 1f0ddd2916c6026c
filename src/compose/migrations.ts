import { makeMigrations } from '#engine/migrations/index.ts';
import { providers } from '#engine/migrations/providers/index.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import type { Networks } from './network.ts';
import type { Setup } from './setup.ts';

/** Migrations use providers' simulators while the sandbox is on, unless MIGRATION_URLS is set. */
export function openMigrations(setup: Setup, { outbound, sandboxApp }: Networks) {
  const { base, config, sealer, platforms, plannedPlatforms } = setup;
  const { migrationUrls: urls } = config;
  const unknown = Object.keys(urls).find((name) => !providers.has(name));
  if (unknown !== undefined) throw new ConfigError(`MIGRATION_URLS names ${unknown}, which is not a provider`);
  return makeMigrations({
    ...base,
    sealer,
    outbound,
    platforms,
    plannedPlatforms,
    pagesCount: config.profileUnits,
    rootUrl: config.rootUrl,
    mostBytes: setup.forwardedBytes,
    providers,
    networkOf: ({ name }) => (sandboxApp !== undefined && urls[name] === undefined ? 'sandbox' : 'real'),
    baseOf({ name, url }, network) {
      if (network === 'real') return urls[name] ?? url;
      return sandboxApp && `${sandboxApp.api}/${name}/api`;
    },
  });
}
