import type { Generated } from 'kysely';
import type { ErrorCode } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Network } from './access.ts';
import type { Json } from './column.ts';

/** Tables of accounts that are being connected; conventions: database.ts. */
export type ConnectingTables = {
  connects: ConnectsTable;
  choices: ChoicesTable;
  invites: InvitesTable;
  migrations: MigrationsTable;
};

/** A started connection, for the state of an auth_url. */
type ConnectsTable = {
  id: string;
  workspace_id: string;
  platform: PlatformSlug;
  network: Network;
  brand_id: string | null;
  account_id: string | null;
  redirect_uri: string | null;
  client_state: string;
  sealed: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
  app_id: string | null;
  /** The caller's parameters for the connector; nothing secret. */
  metadata: Json<Readonly<Record<string, string>>>;
  /** The invite it uses up. */
  invite_id: string | null;
};

/** A finished login with several profiles, until one is chosen or it expires. */
type ChoicesTable = {
  id: string;
  workspace_id: string;
  platform: PlatformSlug;
  network: Network;
  brand_id: string | null;
  account_id: string | null;
  sealed: string;
  created_at: number;
  expires_at: number;
  app_id: string | null;
  invite_id: string | null;
};

/** Single-use links by which people without a user connect an account to a brand. */
type InvitesTable = {
  id: string;
  workspace_id: string;
  brand_id: string;
  platform: PlatformSlug;
  /** SHA-256 of the token in the link. */
  token_hash: string;
  /** The token, which lists show again. */
  sealed: string;
  account_id: string | null;
  created_at: number;
  expires_at: number;
  used_at: number | null;
  revoked_at: number | null;
};

/** A workspace's accounts at another provider, by profile. */
export type MigrationSource = Readonly<{
  profiles: readonly Readonly<{ id: string; name: string }>[];
  accounts: readonly SourceAccount[];
}>;

export type SourceAccount = Readonly<{
  profile: string;
  platform: string;
  /** It uses the login of another account. */
  linked: boolean;
  /** The platform's names, ids and URLs of it. */
  handles: readonly string[];
}>;

/** A migration from another provider; deleted when it is stopped. */
type MigrationsTable = {
  id: string;
  workspace_id: string;
  provider: string;
  network: Network;
  sealed: string;
  /** The HMAC of the key, by which requests find their migration. */
  key_hash: string;
  /** The beginning and end of the key. */
  key_hint: string;
  authorisation_version: string;
  /** The result of the last successful read, at `assessed_at`. */
  found: Json<MigrationSource> | null;
  assessed_at: number | null;
  failure: MigrationFailure | null;
  /** The last read, successful or not; 0 before the first. */
  read_at: Generated<number>;
  forwarded_calls: Generated<number>;
  created_at: number;
};

export type MigrationFailure = Extract<ErrorCode, `migration.${string}`>;
