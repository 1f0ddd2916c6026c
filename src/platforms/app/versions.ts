import type { PlatformSetting } from '#kernel/config/names.ts';

/** An API that a connector calls, in the version that it was written for, or a part of one that ends by itself. */
export type ApiVersion = Readonly<{
  api: string;
  version: string;
  /** By which an operator names another version; absent where another one is another contract. */
  setting?: PlatformSetting;
  /** The day on which each version ends, as far as the platform has published it. */
  ends: ReadonlyMap<string, string>;
  /** The first day on which a version may end, where the platform has published how long versions last. */
  lasts?(version: string): string | undefined;
  /** What is answered once it has ended, as far as that is documented: the error `version_ended` here. */
  gone?: string;
  /** The page that publishes it. */
  source: string;
}>;

/** When a version ends: the day, and whether it is only the first one on which it may; undefined where nothing is published. */
export function endOf({ ends, lasts }: ApiVersion, version: string) {
  const day = ends.get(version);
  if (day !== undefined) return { day, isEarliest: false };
  const earliest = lasts?.(version);
  return earliest === undefined ? undefined : { day: earliest, isEarliest: true };
}

/** The version that is called. */
export const versionIn = ({ version, setting }: ApiVersion, settings: Readonly<Record<string, string>>): string =>
  (setting && settings[setting.name]) ?? version;

/** An API of which no end is published, and of which another version would be another contract. */
export const unending = (api: string, version: string, source: string, gone?: string): ApiVersion =>
  Object.freeze({ api, version, ends: new Map<string, string>(), source, ...(gone !== undefined && { gone }) });

/** A part of an API that is deprecated, and still used here, of which no end is published. */
export const deprecated = (api: string, part: string, version: string, source: string): ApiVersion =>
  unending(`${api}: ${part}, deprecated`, version, source);
