import type { PlatformSetting } from '#kernel/config/names.ts';

/** An API version that a connector was written for, or a part of an API that ends separately. */
export type ApiVersion = Readonly<{
  api: string;
  version: string;
  /** The setting that selects another version; absent if other versions are incompatible. */
  setting?: PlatformSetting;
  /** The last day of each version for which one is published. */
  ends: ReadonlyMap<string, string>;
  /** The first day on which a version may end, if the platform publishes how long versions last. */
  lasts?(version: string): string | undefined;
  /** The documented response after the version's end, classified as `version_ended`. */
  gone?: string;
  source: string;
}>;

/** The last day of a version; `isEarliest` if it may end later. Undefined if nothing is published. */
export function endOf({ ends, lasts }: ApiVersion, version: string) {
  const day = ends.get(version);
  if (day !== undefined) return { day, isEarliest: false };
  const earliest = lasts?.(version);
  return earliest === undefined ? undefined : { day: earliest, isEarliest: true };
}

export const versionIn = ({ version, setting }: ApiVersion, settings: Readonly<Record<string, string>>): string =>
  (setting && settings[setting.name]) ?? version;

/** An API without a published end, whose other versions would be incompatible. */
export const unending = (api: string, version: string, source: string, gone?: string): ApiVersion =>
  Object.freeze({ api, version, ends: new Map<string, string>(), source, ...(gone !== undefined && { gone }) });

/** A deprecated part of an API that is still used here and has no published end. */
export const deprecated = (api: string, part: string, version: string, source: string): ApiVersion =>
  unending(`${api}: ${part}, deprecated`, version, source);
