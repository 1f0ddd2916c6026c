import type { PlatformSetting } from '#kernel/config/names.ts';
import type { UnauthenticatedCall } from '../call.ts';

type Settings = UnauthenticatedCall['settings'];

/** A scope that was not granted, and what is therefore impossible. */
type Unavailable = Readonly<{ scope: string; effect: string }>;

/** The scopes of one app, which some platforms call permissions. */
export type Scopes = Readonly<{
  /** Replaces the requested scopes. */
  setting: PlatformSetting;
  byDefault: readonly string[];
  /** The scopes this server uses, with what is lost without each. */
  effects: ReadonlyMap<string, string>;
  /** The features, as the reference names them, that are unusable without the missing scopes. */
  lacking(granted: readonly string[]): readonly string[];
  /** The setting of a login configuration, which is requested instead. */
  config?: PlatformSetting;
  /** The scopes to request; none if a configuration names them. */
  wantedIn(settings: Settings): readonly string[];
  /** The metadata of an account about granted scopes and what is impossible; empty if the grants are unknown. */
  reported(
    settings: Settings,
    granted: readonly string[] | undefined,
  ): Readonly<{
    scopes_granted?: readonly string[];
    scopes_missing?: readonly string[];
    unavailable?: readonly Unavailable[];
  }>;
}>;
