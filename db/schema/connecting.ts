import type { Generated } from 'kysely';
import type { ErrorCode } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Network } from './access.ts';
import type { Json } from './column.ts';

/** Tables of accounts that are being connected. The conventions are those of database.ts. */
export type ConnectingTables = {
  connects: ConnectsTable;
  choices: ChoicesTable;
  invites: InvitesTable;
  migrations: MigrationsTable;
};

/** A connection under way: what the state of an auth_url stands for. */
type ConnectsTable = {
  /** SHA-256 of the state. */
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
  /** The customer's app it was started with. */
  app_id: string | null;
  /** What the caller sent for the connector; nothing secret. */
  metadata: Json<Readonly<Record<string, string>>>;
  /** The invite that is used up by it. */
  invite_id: string | null;
};

/** A finished login with several profiles, one of which is to be chosen; the row goes when one is, or at its end. */
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
  /** The customer's app it was started with. */
  app_id: string | null;
  /** The invite that is used up by it. */
  invite_id: string | null;
};

/** Links by which people without a user of their own connect an account to a brand; each is used once. */
type InvitesTable = {
  id: string;
  workspace_id: string;
  brand_id: string;
  platform: PlatformSlug;
  /** SHA-256 of the token in the link. */
  token_hash: string;
  /** The token, which lists show again. */
  sealed: string;
  /** The account that was connected by it. */
  account_id: string | null;
  created_at: number;
  expires_at: number;
  used_at: number | null;
  revoked_at: number | null;
};

/** The accounts that a workspace has at another provider, in the profiles they are kept in there. */
export type MigrationSource = Readonly<{
  profiles: readonly Readonly<{ id: string; name: string }>[];
  accounts: readonly SourceAccount[];
}>;

export type SourceAccount = Readonly<{
  /** The id of its profile. */
  profile: string;
  /** The provider's name of its platform. */
  platform: string;
  /** It lives on the login of another account. */
  linked: boolean;
  /** What the platform knows it by: names, ids and addresses. */
  handles: readonly string[];
}>;

/** A migration from another provider; the row goes when it is stopped. */
type MigrationsTable = {
  id: string;
  workspace_id: string;
  provider: string;
  network: Network;
  /** The key of the provider. */
  sealed: string;
  /** The HMAC of the key, by which requests find their migration. */
  key_hash: string;
  /** How the key begins and ends. */
  key_hint: string;
  authorisation_version: string;
  /** What was found by the last read that succeeded, at `assessed_at`. */
  found: Json<MigrationSource> | null;
  assessed_at: number | null;
  /** Why the last read failed. */
  failure: MigrationFailure | null;
  /** When the accounts were read last, with or without success; 0 before. */
  read_at: Generated<number>;
  forwarded_calls: Generated<number>;
  created_at: number;
};

export type MigrationFailure = Extract<ErrorCode, `migration.${string}`>;
