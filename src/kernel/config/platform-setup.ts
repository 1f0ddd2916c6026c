import type { PlatformSlug } from '../platforms.ts';

/** An app whose consent page people see, the settings of its credentials, and whether they are set. */
type AppSetup = Readonly<{ title: string; settings: readonly string[]; isSet: boolean }>;

/** An address of this server that a platform needs; `byServer` means that the server registers it itself. */
export type EnteredAddress = Readonly<{ name: string; address: string; byServer: boolean }>;

/** What must be set up before accounts of a platform can be connected, and what is set up already. */
export type PlatformSetup = Readonly<{
  platform: PlatformSlug;
  title: string;
  isSandbox: boolean;
  /** Whether an account can be connected with the present setup. */
  isReady: boolean;
  /** The apps by which people can give consent. */
  apps: readonly AppSetup[];
  /** Whether accounts can be connected with credentials from a form, without an app. */
  byForm: boolean;
  /** Whether workspaces can use their own apps. */
  ownApp: boolean;
  addresses: readonly EnteredAddress[];
  /** The setting of the verify token that is entered together with the push address. */
  verifyToken: Readonly<{ setting: string; isSet: boolean }> | null;
}>;
