import type { Generated } from 'kysely';
import type { ErrorCode } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Network } from './access.ts';
import type { Json } from './column.ts';

/** Tables of accounts that are being connected. Conventions are in database.ts. */
export type ConnectingTables = {
  connects: ConnectsTable;
  choices: ChoicesTable;
  invites: InvitesTable;
  migrations: MigrationsTable;
};

/** A connection that was started; the `state` parameter of its auth_url refers to it. */
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
  /** The caller's parameters for the connector, none of which is secret. */
  metadata: Json<Readonly<Record<string, string>>>;
  /** The invite that this connection will use up. */
  invite_id: string | null;
};

/** A login that returned several profiles; kept until one is chosen or the choice expires. */
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

/** Single-use links, by which people without a user can connect an account to a brand. */
type InvitesTable = {
  id: string;
  workspace_id: string;
  brand_id: string;
  platform: PlatformSlug;
  /** SHA-256 of the token in the link. */
  token_hash: string;
  /** The encrypted token, because lists show the link again. */
  sealed: string;
  account_id: string | null;
  created_at: number;
  expires_at: number;
  used_at: number | null;
  revoked_at: number | null;
};

/** The accounts of a workspace at another provider, grouped by profile. */
export type MigrationSource = Readonly<{
  profiles: readonly Readonly<{ id: string; name: string }>[];
  accounts: readonly SourceAccount[];
}>;

export type SourceAccount = Readonly<{
  profile: string;
  platform: string;
  /** Uses the login of another account. */
  linked: boolean;
  /** The names, ids and URLs by which the platform knows it. */
  handles: readonly string[];
}>;

/** A migration from another provider. The row is deleted when the migration is stopped. */
type MigrationsTable = {
  id: string;
  workspace_id: string;
  provider: string;
  network: Network;
  sealed: string;
  /** The HMAC of the customer's key, used to find the migration of a request. */
  key_hash: string;
  /** The first and last characters of the key. */
  key_hint: string;
  authorisation_version: string;
  /** What the last successful read found, at `assessed_at`. */
  found: Json<MigrationSource> | null;
  assessed_at: number | null;
  failure: MigrationFailure | null;
  /** The time of the last read, whether it succeeded or not; 0 before the first one. */
  read_at: Generated<number>;
  forwarded_calls: Generated<number>;
  created_at: number;
};

export type MigrationFailure = Extract<ErrorCode, `migration.${string}`>;
