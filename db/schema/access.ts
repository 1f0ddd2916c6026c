import type { Generated } from 'kysely';
import type { Interval, PaidTier, PlanTier } from '#kernel/plans.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { PageProfile } from '#platforms/connect.ts';
import type { Flag, Json, JsonObject } from './column.ts';

/**
 * Tables of workspaces with their users, keys and accounts, of what lets people and programs in, and of requests that
 * may be repeated. The conventions are those of database.ts.
 */
export type AccessTables = {
  workspaces: WorkspacesTable;
  users: UsersTable;
  brands: BrandsTable;
  keys: KeysTable;
  gone_keys: GoneKeysTable;
  usage: UsageTable;
  accounts: AccountsTable;
  apps: AppsTable;
  quotas: QuotasTable;
  pages: PagesTable;
  web_sessions: WebSessionsTable;
  setup_links: SetupLinksTable;
  redirect_uris: RedirectUrisTable;
  oauth_clients: OauthClientsTable;
  oauth_records: OauthRecordsTable;
  oauth_keys: OauthKeysTable;
  idempotency: IdempotencyTable;
  billing: BillingTable;
  checkouts: CheckoutsTable;
};

type WorkspacesTable = {
  id: string;
  plan: PlanTier;
  created_at: number;
  /** When the plan changed last; null while it is the first one. */
  plan_since: number | null;
  /** A time at which a month of its subscription began; null without one. */
  cycle_anchor: number | null;
  /** Set while unpaid: everything but user and billing operations answers 402. */
  blocked_at: number | null;
  brands_count: number;
  /** Of items that are ready. */
  storage_bytes: number;
  /** What the items that are not ready yet hold between them. */
  pending_bytes: Generated<number>;
  allowed_platforms: Json<readonly string[]> | null;
  /** An IANA name; times without an offset are read in it. */
  timezone: Generated<string>;
  /** Set by its removal: it is gone for everyone but the sweep, which takes its history away step by step. */
  removed_at: number | null;
};

type UsersTable = {
  id: string;
  workspace_id: string;
  email: string;
  name: string;
  password_hash: string | null;
  onboarding: Flag;
  use_case: string | null;
  referral: string | null;
  avatar_url: string | null;
  lock_accounts_to_brand: Flag;
  created_at: number;
};

type BrandsTable = { id: string; workspace_id: string; name: string; created_at: number; updated_at: number };

type KeysTable = {
  id: string;
  workspace_id: string;
  user_id: string;
  name: string;
  hash: string;
  preview: string;
  scopes: Json<readonly string[]>;
  brand_ids: Json<readonly string[]>;
  is_active: Flag;
  created_at: number;
  last_used_at: number | null;
};

/** Counters of one period; a reset is a new row. */
type UsageTable = {
  workspace_id: string;
  period_start: number;
  posts: number;
  interactions: number;
  exports: number;
};

export type AccountStatus = 'active' | 'reconnect_required';

export type Network = 'real' | 'sandbox';

type AccountsTable = {
  id: string;
  workspace_id: string;
  brand_id: string;
  platform: PlatformSlug;
  network: Network;
  platform_user_id: string;
  name: string;
  username: string;
  bio: string | null;
  profile_picture_url: string | null;
  profile_url: string | null;
  user_email: string | null;
  status: AccountStatus;
  reconnect_reason: string | null;
  metadata: Json<JsonObject>;
  session: string;
  /** When the session should be refreshed ahead of its end; far future when it never ends. */
  refresh_at: number;
  lease_token: string | null;
  lease_until: number;
  created_at: number;
  updated_at: number;
  /** When it was connected last. */
  connected_at: Generated<number>;
  /** Which of the platform's kinds of account it is; null for the first one. */
  kind: string | null;
  /** It was connected with credentials instead of consent, where a platform takes both. */
  by_key: Generated<Flag>;
  /** The consent it shares with other accounts, over all platforms and apps. */
  grant_id: string | null;
  /** The customer's app it was connected with; null for the app of the server. */
  app_id: string | null;
  /** What its owner should know about work that is paused. */
  notice: string | null;
};

/** Apps of customers on platforms; without a brand, for every brand that has none of its own. */
type AppsTable = {
  id: string;
  workspace_id: string;
  platform: PlatformSlug;
  brand_id: string | null;
  client_id: string;
  /** The secrets of the app, as JSON. */
  sealed: string;
  created_at: number;
  updated_at: number;
  /** Replaced by another one; it is kept for the accounts that were connected with it. */
  retired_at: number | null;
};

/** What was used of a platform's quota in one window. */
type QuotasTable = { bucket: string; window_start: number; used: number; ends_at: number };

/** Pages of accounts that have several; their tokens are in the session of the account. */
type PagesTable = {
  id: string;
  account_id: string;
  workspace_id: string;
  platform_page_id: string;
  name: string;
  /** What else the platform reports of it. */
  facts: Json<Omit<PageProfile, 'platform_page_id' | 'name'>>;
  is_default: Flag;
  is_active: Flag;
  /** No longer found on the platform: shown as inactive, and back when it is found again. */
  is_missing: Flag;
  enriched_at: number;
  created_at: number;
  updated_at: number;
};

/** A browser a person is signed in with; the id is the SHA-256 of what its cookie holds. */
type WebSessionsTable = {
  id: string;
  user_id: string;
  created_at: number;
  /** The nearer of its last use plus the idle time, and its longest life. */
  expires_at: number;
};

/** Links the owner of a new server sets the first password with; the id is the SHA-256 of the token. */
type SetupLinksTable = { id: string; expires_at: number };

/** Where connections of a workspace may end; while it has none, anywhere. */
type RedirectUrisTable = {
  id: string;
  workspace_id: string;
  uri: string;
  uri_hash: string;
  label: string | null;
  created_at: number;
};

/** Clients that registered themselves. */
type OauthClientsTable = {
  id: string;
  name: string;
  redirect_uris: Json<readonly string[]>;
  /** SHA-256; null for a client that registered without a secret. */
  secret_hash: string | null;
  /** A keyed hash of where the registration came from. */
  address: string;
  created_at: number;
  /** Set at its first grant: such a client is never swept. */
  granted_at: number | null;
};

export type OauthModel = 'Interaction' | 'Grant' | 'AuthorizationCode' | 'RefreshToken';

/** What an authorization leaves behind; ids are SHA-256 of what the client or browser holds, which is nowhere else. */
type OauthRecordsTable = {
  id: string;
  model: OauthModel;
  client_id: string;
  user_id: string | null;
  grant_id: string | null;
  /** Of interactions: a keyed hash of where the request came from. */
  address: string | null;
  payload: Json<JsonObject>;
  created_at: number;
  expires_at: number;
  spent_at: number | null;
};

/** Signing keys; each takes over at `signs_from`, when every process has seen it. */
type OauthKeysTable = {
  generation: number;
  kid: string;
  /** Private JWK. */
  sealed: string;
  created_at: number;
  signs_from: number;
};

/** Requests with an Idempotency-Key; the id is the SHA-256 of caller, operation and key. */
type IdempotencyTable = {
  id: string;
  workspace_id: string;
  /** Which request it was, and what it was answered. */
  sealed: string;
  /** Both are set while the request runs. */
  lease_token: string | null;
  lease_until: number | null;
  expires_at: number;
};

/** SHA-256 of keys whose user was removed, so that requests with them get a specific error. */
type GoneKeysTable = { hash: string };

/** What is paid for a workspace: nothing yet, all, not once, or not twice. */
type BillingStatus = 'none' | 'active' | 'grace' | 'blocked';

/** The customer of a workspace at the payment provider, and its subscription as it was read last. */
type BillingTable = {
  /** No reference: the customer outlives a removed workspace until the provider has ended what it pays for. */
  workspace_id: string;
  /** The provider itself, or its stand-in in the sandbox. */
  network: Network;
  /** Null until the provider has made it. */
  customer_id: string | null;
  email: string;
  status: BillingStatus;
  subscription_id: string | null;
  tier: PaidTier | null;
  interval: Interval | null;
  /** When the period ends that is paid for. */
  cycle_end: number | null;
  /** When the subscription ends, where it was cancelled. */
  ends_at: number | null;
  /** Goes up with every change, so that what was read before one is not written after it. */
  version: Generated<number>;
  read_at: Generated<number>;
  created_at: number;
};

/** A page of the provider on which a plan is bought or changed. */
type CheckoutsTable = {
  /** Also what makes the provider do it once. */
  id: string;
  workspace_id: string;
  network: Network;
  session_id: string | null;
  kind: 'purchase' | 'change';
  tier: PaidTier;
  interval: Interval;
  asked: Json<CheckoutAddresses>;
  /** `replaced`: it is still to be ended at the provider. */
  state: 'open' | 'complete' | 'expired' | 'replaced';
  created_at: number;
  expires_at: number;
};

/** Where the provider sends people back to. */
export type CheckoutAddresses = Readonly<{ success_url: string; cancel_url: string }>;
