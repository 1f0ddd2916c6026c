import type { PlatformSetting } from '#kernel/config/names.ts';
import type { UnauthenticatedCall } from '../call.ts';

type Settings = UnauthenticatedCall['settings'];

/** A scope that was not granted, and what does not work without it. */
type Unavailable = Readonly<{ scope: string; effect: string }>;

/** The scopes of one app; some platforms call them permissions. */
export type Scopes = Readonly<{
  /** The setting that replaces the requested scopes. */
  setting: PlatformSetting;
  byDefault: readonly string[];
  /** The scopes that this server uses, and what does not work without each. */
  effects: ReadonlyMap<string, string>;
  /** The features, by their names in the reference, that do not work with the granted scopes. */
  lacking(granted: readonly string[]): readonly string[];
  /** The setting with a login configuration, which is requested in place of scopes. */
  config?: PlatformSetting;
  /** The scopes to request; empty if a login configuration is set. */
  wantedIn(settings: Settings): readonly string[];
  /** Account metadata on granted scopes and features that do not work; empty if the grants are unknown. */
  reported(
    settings: Settings,
    granted: readonly string[] | undefined,
  ): Readonly<{
    scopes_granted?: readonly string[];
    scopes_missing?: readonly string[];
    unavailable?: readonly Unavailable[];
  }>;
}>;
