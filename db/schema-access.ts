/** Tables of what lets people and programs in, and of what they may ask twice. The conventions are those of schema.ts. */
export type AccessTables = {
  web_sessions: WebSessionsTable;
  setup_links: SetupLinksTable;
  redirect_uris: RedirectUrisTable;
  oauth_clients: OauthClientsTable;
  oauth_records: OauthRecordsTable;
  oauth_keys: OauthKeysTable;
  idempotency: IdempotencyTable;
  gone_keys: GoneKeysTable;
};

type Json = string;

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
  redirect_uris: Json;
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
  payload: Json;
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

/** SHA-256 of keys whose user was removed: their holders are told so. */
type GoneKeysTable = { hash: string };
