import type { PlatformSlug } from '../../src/kernel/platforms.ts';
import type { Network } from './access.ts';
import type { Json } from './column.ts';

/** Tables of accounts that are being connected. The conventions are those of database.ts. */
export type ConnectingTables = {
  connects: ConnectsTable;
  choices: ChoicesTable;
  invites: InvitesTable;
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
