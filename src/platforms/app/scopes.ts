import type { PlatformSetting } from '#kernel/config/names.ts';
import type { UnauthenticatedCall } from '../call.ts';

type Settings = UnauthenticatedCall['settings'];

/** A scope that was not granted, and what is therefore not possible. */
export type Unavailable = Readonly<{ scope: string; effect: string }>;

/** The scopes of one app on a platform, which some platforms call permissions. */
export type Scopes = Readonly<{
  /** The setting that replaces those that are asked for. */
  setting: PlatformSetting;
  /** Those that are asked for where the setting is not set. */
  byDefault: readonly string[];
  /** Those that this server makes use of, with what is taken away without each. */
  effects: ReadonlyMap<string, string>;
  /** The features, in the words of the reference, that cannot be used without those that were not granted. */
  lacking(granted: readonly string[]): readonly string[];
  /** The setting of a configuration of the login, which is asked for in their place. */
  config?: PlatformSetting;
  /** Those that the consent page is asked for; none where a configuration says which. */
  wantedIn(settings: Settings): readonly string[];
  /**
   * What the metadata of an account says of those that were granted, and what is not possible without the others;
   * nothing where it is not known which were.
   */
  reported(
    settings: Settings,
    granted: readonly string[] | undefined,
  ): Readonly<{
    scopes_granted?: readonly string[];
    scopes_missing?: readonly string[];
    unavailable?: readonly Unavailable[];
  }>;
}>;
