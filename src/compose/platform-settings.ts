import type { Network } from '#db/schema/database.ts';
import type { Config } from '#kernel/config/config.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Hosts } from '#platforms/call.ts';
import type { Platform } from '#platforms/platform.ts';

export function applySettings({ platformSettings }: Config, platforms: ReadonlyMap<PlatformSlug, Platform>) {
  const set = [...platforms.values()].flatMap(({ slug, settings = [] }) =>
    settings.flatMap((setting) => {
      const value = platformSettings[setting.name];
      return value === undefined ? [] : [{ ...setting, slug, value }];
    }),
  );
  const overrides: Partial<Record<PlatformSlug, Hosts>> = {};
  for (const { slug, host, value } of set) {
    if (host !== undefined) overrides[slug] = { ...overrides[slug], [host]: value };
  }
  return Object.freeze({
    settingsOf: ({ settings = [] }: Platform, network: Network) =>
      Object.fromEntries(
        settings.flatMap(({ name, sandbox, everywhere }) => {
          const counts = network === 'real' || everywhere === true;
          const value = (counts ? platformSettings[name] : undefined) ?? (network === 'real' ? undefined : sandbox);
          return value === undefined ? [] : [[name, value] as const];
        }),
      ),
    overrides,
    /** URLs whose hosts may have private addresses. */
    trusted: set.filter(({ trusted }) => trusted).map(({ value }) => value),
    real: set.filter(({ leavesSandbox }) => leavesSandbox).map(({ slug }) => slug),
  });
}
