import type { Generated } from 'kysely';
import type { Role } from '#kernel/people/roles.ts';
import type { Interval, PaidTier, PlanTier } from '#kernel/plans.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { PageProfile } from '#platforms/connect.ts';
import type { Flag, Json, JsonObject } from './column.ts';

/** Tables of workspaces, users, keys, accounts, sign-in and repeatable requests. Conventions are in database.ts. */
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
  /** The start of a monthly period of the subscription; null without a subscription. */
  cycle_anchor: number | null;
  /** Set while the workspace is unpaid: all operations except those on users and billing respond with 402. */
  blocked_at: number | null;
  brands_count: number;
  /** Bytes of media items that are ready. */
  storage_bytes: number;
  /** Bytes reserved for media items that are not ready yet. */
  pending_bytes: Generated<number>;
  allowed_platforms: Json<readonly string[]> | null;
  /** An IANA timezone, in which times without an offset are read. */
  timezone: Generated<string>;
  /** Set when the workspace is removed. Only the sweep that deletes its history still sees it. */
  removed_at: number | null;
  /** When notifications were last mailed to the people of the workspace. */
  notified_at: Generated<number | null>;
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
  /** What the user may do in the workspace; one of its users is the owner. */
  role: Generated<Role>;
  /** Set while the user is disabled: they cannot sign in, and their keys and apps are refused. */
  disabled_at: number | null;
  /** What the user is notified of by mail, separated by commas; null means everything that is for their role. */
  mailed_notifications: Generated<string | null>;
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

/** Usage in one period. Counters are reset by starting a new row. */
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
  /** When to refresh the session, some time before it expires; far in the future if it never does. */
  refresh_at: number;
  lease_token: string | null;
  lease_until: number;
  created_at: number;
  updated_at: number;
  connected_at: Generated<number>;
  kind: string | null;
  /** Connected with credentials although the platform also has a consent page. */
  by_key: Generated<Flag>;
  /** The consent that several accounts share, across platforms and apps; null if there is none. */
  grant_id: string | null;
  /** The customer's app through which it was connected; null for the server's own app. */
  app_id: string | null;
  /** Tells the owner why work on the account is paused. */
  notice: string | null;
};

/** The apps of customers. An app without a brand serves every brand that has no app of its own. */
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
  /** When another app replaced it. It is kept for the accounts connected through it. */
  retired_at: number | null;
};

type QuotasTable = { bucket: string; window_start: number; used: number; ends_at: number };

/** Pages of accounts. Their tokens are stored in the account's session. */
type PagesTable = {
  id: string;
  account_id: string;
  workspace_id: string;
  platform_page_id: string;
  name: string;
  /** What else the platform says about the page. */
  facts: Json<Omit<PageProfile, 'platform_page_id' | 'name'>>;
  is_default: Flag;
  is_active: Flag;
  /** Not found on the platform, so it stays inactive until it is found again. */
  is_missing: Flag;
  enriched_at: number;
  created_at: number;
  updated_at: number;
};

/** Addresses to which a connection may redirect in the end; without any, every address is allowed. */
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
  /** The SHA-256 of the secret; null for a client that has none. */
  secret_hash: string | null;
  /** A keyed hash of the network address that registered the client. */
  address: string;
  created_at: number;
  /** When a user first approved the client; from then on it is never swept. */
  granted_at: number | null;
};

export type OauthModel = 'Interaction' | 'Grant' | 'AuthorizationCode' | 'RefreshToken';

/** OAuth records. An id is the SHA-256 of a value that only the client or the browser knows. */
type OauthRecordsTable = {
  id: string;
  model: OauthModel;
  client_id: string;
  user_id: string | null;
  grant_id: string | null;
  /** For consent requests, a keyed hash of the network address they came from. */
  address: string | null;
  payload: Json<JsonObject>;
  created_at: number;
  expires_at: number;
  spent_at: number | null;
};

/** Signing keys. Each one signs from `signs_from`, when every process has loaded it. */
type OauthKeysTable = {
  generation: number;
  kid: string;
  sealed: string;
  created_at: number;
  signs_from: number;
};

/** Requests with an Idempotency-Key; the id is the SHA-256 of the caller, the operation and the key. */
type IdempotencyTable = {
  id: string;
  workspace_id: string;
  /** The request and, once it is known, the response. */
  sealed: string;
  /** The lease, set while the request is running. */
  lease_token: string | null;
  lease_until: number | null;
  expires_at: number;
};

/** SHA-256 hashes of keys whose user was removed, so that using one gets its own error. */
type GoneKeysTable = { hash: string };

/** Nothing bought; paid; one payment failed; two payments failed. */
type BillingStatus = 'none' | 'active' | 'grace' | 'blocked';

/** The workspace's customer at the payment provider, and the subscription as it was last read. */
type BillingTable = {
  /** No foreign key: the customer outlives a removed workspace until the subscription ends. */
  workspace_id: string;
  /** The real payment provider, or its simulator in the sandbox. */
  network: Network;
  /** Null until the provider has created the customer. */
  customer_id: string | null;
  email: string;
  status: BillingStatus;
  subscription_id: string | null;
  tier: PaidTier | null;
  interval: Interval | null;
  /** The end of the paid period. */
  cycle_end: number | null;
  /** When a cancelled subscription will end. */
  ends_at: number | null;
  /** Goes up with every change, so that outdated data is not written over newer data. */
  version: Generated<number>;
  read_at: Generated<number>;
  created_at: number;
};

/** A page of the payment provider where a plan is bought or changed. */
type CheckoutsTable = {
  /** Also sent to the provider as the idempotency key. */
  id: string;
  workspace_id: string;
  network: Network;
  session_id: string | null;
  kind: 'purchase' | 'change';
  tier: PaidTier;
  interval: Interval;
  asked: Json<CheckoutAddresses>;
  /** `replaced` means that the page still has to be expired at the provider. */
  state: 'open' | 'complete' | 'expired' | 'replaced';
  created_at: number;
  expires_at: number;
};

export type CheckoutAddresses = Readonly<{ success_url: string; cancel_url: string }>;
