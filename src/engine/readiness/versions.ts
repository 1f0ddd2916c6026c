import type { Base } from '#call/ports.ts';
import { DAY } from '#kernel/clock.ts';
import type { Platform } from '#platforms/platform.ts';
import { endOf, versionIn } from '#platforms/app/versions.ts';

/** How long before an API version ends a warning is logged. */
const AHEAD_MS = 60 * DAY;

type Settings = Readonly<Record<string, string>>;

/** An API version that has ended or will end soon, and what to do. */
type Ending = Readonly<{ about: Readonly<Record<string, string | undefined>>; what: string; cure: string }>;

/** The API versions that have ended or will end soon; a version that several platforms share is listed once. */
export function endingVersions(platforms: Iterable<Platform>, settings: Settings, now: number): readonly Ending[] {
  const apis = new Set([...platforms].flatMap(({ versions = [] }) => versions));
  return [...apis].flatMap((api) => {
    const version = versionIn(api, settings);
    const { day, isEarliest } = endOf(api, version) ?? {};
    if (day === undefined || Date.parse(day) - now > AHEAD_MS) return [];
    const isOver = Date.parse(day) <= now;
    const [past, future] = isEarliest === true ? ['may have ended', 'may end'] : ['has ended', 'ends'];
    const cure = api.setting === undefined ? 'update this server' : `set a newer ${api.setting.name}`;
    const about = { api: api.api, version, day, setting: api.setting?.name, source: api.source };
    return [{ about, what: `${api.api} ${version} ${isOver ? past : future} on ${day}`, cure }];
  });
}

type WarningDeps = Pick<Base, 'clock' | 'log'> &
  Readonly<{
    /** The platforms that are actually called. */
    platforms: readonly Platform[];
    settings: Settings;
  }>;

export function warnOfVersions({ clock, log, platforms, settings }: WarningDeps): void {
  for (const { about, what, cure } of endingVersions(platforms, settings, clock.now())) {
    log.warn(about, `${what}: ${cure}`);
  }
}
