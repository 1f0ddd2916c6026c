import { loginsOf } from '../lookup.ts';
import type { Platform, PlatformKind } from '../platform.ts';

/** A platform with several kinds of account: each further kind replaces members of `first`. */
export function withKinds(first: Platform, kinds: Readonly<Record<string, PlatformKind>>): Platform {
  const merged = Object.entries(kinds).map(([kind, own]) => [kind, Object.freeze({ ...first, ...own } as Platform)]);
  return Object.freeze({ ...first, kinds: Object.freeze(Object.fromEntries(merged)) });
}

/** A platform with all settings: its own, those of its logins, and those of its API versions. */
export function withAllSettings(platform: Platform): Platform {
  const { settings: own = [], versions = [], kinds } = platform;
  const ofLogins = [...loginsOf(platform).values()].flatMap(({ connect }) =>
    connect.kind === 'oauth' ? (connect.settings ?? []) : [],
  );
  const all = [...ofLogins, ...own, ...versions.flatMap(({ setting }) => setting ?? [])];
  // Each kind has its own `settings` member, so all settings are added to every kind.
  const complete = (one: Platform): Platform => Object.freeze({ ...one, ...(all.length > 0 && { settings: all }) });
  if (kinds === undefined) return complete(platform);
  const completed = Object.entries(kinds).map(([name, kind]) => [name, complete(kind)] as const);
  return Object.freeze({ ...complete(platform), kinds: Object.freeze(Object.fromEntries(completed)) });
}
