import type { Act } from '#kernel/acts.ts';
import type { Policy } from '#kernel/limits/leash.ts';
import type { Flag, Json, JsonObject } from './column.ts';

/** Tables of what connections may do, what of it waits for a person, and what was done. The conventions are those of database.ts. */
export type LeashTables = {
  connections: ConnectionsTable;
  connection_counts: ConnectionCountsTable;
  answered: AnsweredTable;
  actions: ActionsTable;
  audit: AuditTable;
};

export type ConnectionKind = 'oauth' | 'key';

/** OAuth grants and API keys that somebody limited or ended; one without a row may do everything. */
type ConnectionsTable = {
  id: string;
  workspace_id: string;
  user_id: string;
  kind: ConnectionKind;
  /** Id of the grant or key. */
  ref: string;
  policy: Json<Policy>;
  /** A key that decides about waiting actions. */
  decides: Flag;
  ended_at: number | null;
  created_at: number;
  updated_at: number;
  /** The user who changed it last. */
  updated_by: string;
};

type ConnectionCountsTable = { connection_id: string; workspace_id: string; day: number; act: Act; n: number };

/** Items of the inbox that a connection has answered without asking, each once. */
type AnsweredTable = { connection_id: string; workspace_id: string; item: string; digest: string; at: number };

export type ActionState = 'held' | 'approved' | 'running' | 'done' | 'failed' | 'denied' | 'withdrawn' | 'expired';

/** Calls of connections that a person decides about. */
type ActionsTable = {
  id: string;
  workspace_id: string;
  connection_id: string;
  user_id: string;
  tool: string;
  facade: 'rest' | 'mcp';
  act: Act;
  state: ActionState;
  /** `connection:digest` while it waits, is approved or running, so that a repeat finds it. */
  open_key: string | null;
  /** SHA-256 of the tool and the input as the connection sent it. */
  digest: string;
  /** The input, what a person changed of it, and the answer. */
  sealed: string;
  reasons: Json<readonly string[]>;
  account_ids: Json<readonly string[]>;
  brand_ids: Json<readonly string[]>;
  /** The item of the inbox that it answers. */
  item: string | null;
  /** Media that were fetched for it, until it is over. */
  file_ids: Json<readonly string[]> | null;
  /** What the posts that it changes were when the call began to wait, or was approved since. */
  bound_version: string | null;
  expires_at: number;
  decided_by: string | null;
  decided_via: 'page' | 'rest' | null;
  note: string | null;
  started_at: number | null;
  error_code: string | null;
  created_at: number;
  finished_at: number | null;
};

/** What became of a call before anything was done: at once, waiting for a person, never; agreed to, or settled again. */
export const AUDIT_VERDICTS = Object.freeze(['allow', 'hold', 'deny', 'approved', 'expired', 'repeat'] as const);
export type AuditVerdict = (typeof AUDIT_VERDICTS)[number];

/** Who is written down: a key, an app, a person, somebody who is not signed in, or the server itself. */
export const AUDIT_CALLERS = Object.freeze(['key', 'oauth', 'dashboard', 'visitor', 'server'] as const);
export type AuditCaller = (typeof AUDIT_CALLERS)[number];

/** Where it came in: a facade, the form of a page, the job that does what was agreed to, or a command on the server. */
export const AUDIT_PLACES = Object.freeze(['rest', 'mcp', 'page', 'job', 'command'] as const);
export type AuditPlace = (typeof AUDIT_PLACES)[number];

/** What limited and OAuth connections did or tried, what people decided, and who came in. */
type AuditTable = {
  id: string;
  workspace_id: string;
  at: number;
  user_id: string | null;
  connection_id: string | null;
  caller_kind: AuditCaller;
  /** Name of the key, client or person. */
  client: string;
  facade: AuditPlace;
  request_id: string;
  /** An operation, or what a person did on a page, such as `sign_in`. */
  tool: string;
  act: Act | null;
  verdict: AuditVerdict;
  /** What was sent, in short and without secrets. */
  args: Json<JsonObject>;
  /** Where the request came from. */
  address: string | null;
  status: number | null;
  code: string | null;
  /** Id of what was made or changed. */
  effect_id: string | null;
  action_id: string | null;
  ms: number | null;
};
