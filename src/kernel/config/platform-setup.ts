import type { PlatformSlug } from '../platforms.ts';

/** The app that asks people for consent: the settings that hold it, and whether they are set. */
type AppSetup = Readonly<{ title: string; settings: readonly string[]; isSet: boolean }>;

/** An address of this server that is entered at a platform; `byServer` where the server does that itself. */
export type EnteredAddress = Readonly<{ name: string; address: string; byServer: boolean }>;

/** What has to be set up before accounts of a platform are connected, and what of it is. */
export type PlatformSetup = Readonly<{
  platform: PlatformSlug;
  title: string;
  isSandbox: boolean;
  /** Whether an account can be connected with what the server has. */
  isReady: boolean;
  /** Each way to give consent. */
  apps: readonly AppSetup[];
  /** Accounts are connected with credentials that a person types in, without an app. */
  byForm: boolean;
  /** Workspaces bring apps of their own. */
  ownApp: boolean;
  addresses: readonly EnteredAddress[];
  /** The setting with the word that is entered beside the push address. */
  verifyToken: Readonly<{ setting: string; isSet: boolean }> | null;
}>;
