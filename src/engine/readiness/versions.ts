import type { Base } from '#call/ports.ts';
import type { Platform } from '#platforms/platform.ts';
import { endOf, versionIn } from '#platforms/app/versions.ts';

const DAY_MS = 86_400_000;
/** How long before the end of a version the log begins to say so. */
const AHEAD_MS = 60 * DAY_MS;

type WatchDeps = Pick<Base, 'clock' | 'log'> &
  Readonly<{
    /** Those that are called for real. */
    platforms: readonly Platform[];
    /** The settings of platforms that are set, by name. */
    settings: Readonly<Record<string, string>>;
  }>;

/** Makes the function that writes to the log which versions of APIs end soon, or have ended. */
export function makeVersionWatch({ clock, log, platforms, settings }: WatchDeps) {
  // Platforms that share an API are warned of once.
  const apis = new Set(platforms.flatMap(({ versions = [] }) => versions));

  return function warn(): void {
    for (const api of apis) {
      const version = versionIn(api, settings);
      const { day, isEarliest } = endOf(api, version) ?? {};
      if (day === undefined || Date.parse(day) - clock.now() > AHEAD_MS) continue;
      const isOver = Date.parse(day) <= clock.now();
      const [past, future] = isEarliest === true ? ['may have ended', 'may end'] : ['has ended', 'ends'];
      const how = isOver ? past : future;
      const cure = api.setting === undefined ? 'update this server' : `set a newer ${api.setting.name}`;
      const about = { api: api.api, version, day, setting: api.setting?.name, source: api.source };
      log.warn(about, `${api.api} ${version} ${how} on ${day}: ${cure}`);
    }
  };
}
