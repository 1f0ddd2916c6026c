import type { Generated } from 'kysely';
import type { Interval, PaidTier, PlanTier } from '#kernel/plans.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { PageProfile } from '#platforms/connect.ts';
import type { Flag, Json, JsonObject } from './column.ts';

/** Tables of workspaces, users, keys, accounts, sign-in and repeatable requests; conventions: database.ts. */
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
  plan_since: number | null;
  /** When a month of its subscription began; null without one. */
  cycle_anchor: number | null;
  /** Set while unpaid: everything but user and billing operations answers 402. */
  blocked_at: number | null;
  brands_count: number;
  /** Of ready items. */
  storage_bytes: number;
  /** Reserved for items that are not ready. */
  pending_bytes: Generated<number>;
  allowed_platforms: Json<readonly string[]> | null;
  /** An IANA name; times without an offset are read in it. */
  timezone: Generated<string>;
  /** Set by its removal: invisible, except to the sweep that removes its history. */
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
  /** Since then they are not signed in, and their keys and apps are refused. */
  disabled_at: number | null;
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
  /** When to refresh the session early; far future if it never expires. */
  refresh_at: number;
  lease_token: string | null;
  lease_until: number;
  created_at: number;
  updated_at: number;
  connected_at: Generated<number>;
  kind: string | null;
  /** Connected with credentials, if the platform also takes consent. */
  by_key: Generated<Flag>;
  /** The consent it shares with other accounts, over all platforms and apps. */
  grant_id: string | null;
  /** The customer's app it was connected with; null for the server's. */
  app_id: string | null;
  /** A notice to its owner about paused work. */
  notice: string | null;
};

/** Customers' apps; without a brand, for every brand that has none. */
type AppsTable = {
  id: string;
  workspace_id: string;
  platform: PlatformSlug;
  brand_id: string | null;
  client_id: string;
  /** The app's secrets, as JSON. */
  sealed: string;
  created_at: number;
  updated_at: number;
  /** Replaced by another, but kept for the accounts connected with it. */
  retired_at: number | null;
};

type QuotasTable = { bucket: string; window_start: number; used: number; ends_at: number };

/** Pages of accounts; their tokens are in the account's session. */
type PagesTable = {
  id: string;
  account_id: string;
  workspace_id: string;
  platform_page_id: string;
  name: string;
  /** Other fields from the platform. */
  facts: Json<Omit<PageProfile, 'platform_page_id' | 'name'>>;
  is_default: Flag;
  is_active: Flag;
  /** Not found on the platform: inactive until it is found again. */
  is_missing: Flag;
  enriched_at: number;
  created_at: number;
  updated_at: number;
};

/** A signed-in browser; the id is the SHA-256 of its cookie. */
type WebSessionsTable = {
  id: string;
  user_id: string;
  created_at: number;
  /** The earlier of idle timeout and maximum lifetime. */
  expires_at: number;
  /** What the browser calls itself. */
  agent: string | null;
};

/** First-run links; the id is the SHA-256 of the token. */
type SetupLinksTable = { id: string; expires_at: number };

/** Where connections may end; anywhere without any. */
type RedirectUrisTable = {
  id: string;
  workspace_id: string;
  uri: string;
  uri_hash: string;
  label: string | null;
  created_at: number;
};

type OauthClientsTable = {
  id: string;
  name: string;
  redirect_uris: Json<readonly string[]>;
  /** SHA-256; null for a client without a secret. */
  secret_hash: string | null;
  /** A keyed hash of the registering network. */
  address: string;
  created_at: number;
  /** Set by the first grant: such a client is never swept. */
  granted_at: number | null;
};

export type OauthModel = 'Interaction' | 'Grant' | 'AuthorizationCode' | 'RefreshToken';

/** OAuth records; ids are SHA-256 of what only the client or browser has. */
type OauthRecordsTable = {
  id: string;
  model: OauthModel;
  client_id: string;
  user_id: string | null;
  grant_id: string | null;
  /** Of interactions: a keyed hash of the requesting network. */
  address: string | null;
  payload: Json<JsonObject>;
  created_at: number;
  expires_at: number;
  spent_at: number | null;
};

/** Signing keys; each takes over at `signs_from`, when every process has loaded it. */
type OauthKeysTable = {
  generation: number;
  kid: string;
  sealed: string;
  created_at: number;
  signs_from: number;
};

/** Requests with an Idempotency-Key; the id is the SHA-256 of caller, operation and key. */
type IdempotencyTable = {
  id: string;
  workspace_id: string;
  /** The request and its answer. */
  sealed: string;
  /** Both are set while the request runs. */
  lease_token: string | null;
  lease_until: number | null;
  expires_at: number;
};

/** SHA-256 of keys whose user was removed, for a specific error. */
type GoneKeysTable = { hash: string };

/** Nothing bought, paid, one failed payment, or two. */
type BillingStatus = 'none' | 'active' | 'grace' | 'blocked';

/** The workspace's customer at the payment provider, with the subscription as last read. */
type BillingTable = {
  /** No reference: the customer outlives a removed workspace until its subscription ends. */
  workspace_id: string;
  /** The provider itself, or its simulator in the sandbox. */
  network: Network;
  /** Null until the provider has created it. */
  customer_id: string | null;
  email: string;
  status: BillingStatus;
  subscription_id: string | null;
  tier: PaidTier | null;
  interval: Interval | null;
  /** The end of the paid period. */
  cycle_end: number | null;
  /** When a cancelled subscription ends. */
  ends_at: number | null;
  /** Rises with every change, so that an outdated reading is not written. */
  version: Generated<number>;
  read_at: Generated<number>;
  created_at: number;
};

/** A provider's page for buying or changing a plan. */
type CheckoutsTable = {
  /** Also the provider's idempotency key. */
  id: string;
  workspace_id: string;
  network: Network;
  session_id: string | null;
  kind: 'purchase' | 'change';
  tier: PaidTier;
  interval: Interval;
  asked: Json<CheckoutAddresses>;
  /** `replaced`: still to be expired at the provider. */
  state: 'open' | 'complete' | 'expired' | 'replaced';
  created_at: number;
  expires_at: number;
};

export type CheckoutAddresses = Readonly<{ success_url: string; cancel_url: string }>;
