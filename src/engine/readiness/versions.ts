import type { Base } from '#call/ports.ts';
import type { Platform } from '#platforms/platform.ts';
import { endOf, versionIn } from '#platforms/app/versions.ts';

const DAY_MS = 86_400_000;
/** How long before its end a version is logged. */
const AHEAD_MS = 60 * DAY_MS;

type WatchDeps = Pick<Base, 'clock' | 'log'> &
  Readonly<{
    /** The platforms that are really called. */
    platforms: readonly Platform[];
    settings: Readonly<Record<string, string>>;
  }>;

/** Logs API versions that end soon, or have ended. */
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
