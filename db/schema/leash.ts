import type { Act } from '#kernel/acts.ts';
import type { Policy } from '#kernel/limits/leash.ts';
import type { Flag, Json, JsonObject } from './column.ts';

/** Tables of connection limits, actions that wait for approval, and the audit. Conventions are in database.ts. */
export type LeashTables = {
  connections: ConnectionsTable;
  connection_counts: ConnectionCountsTable;
  answered: AnsweredTable;
  actions: ActionsTable;
  audit: AuditTable;
};

export type ConnectionKind = 'oauth' | 'key';

/** OAuth grants and API keys that somebody limited or ended. One without a row may do everything. */
type ConnectionsTable = {
  id: string;
  workspace_id: string;
  user_id: string;
  kind: ConnectionKind;
  /** The id of the grant or key. */
  ref: string;
  policy: Json<Policy>;
  /** Whether the key may approve waiting actions. */
  decides: Flag;
  ended_at: number | null;
  created_at: number;
  updated_at: number;
  /** The user who last changed it. */
  updated_by: string;
};

type ConnectionCountsTable = { connection_id: string; workspace_id: string; day: number; act: Act; n: number };

/** Items of the inbox that a connection has answered without approval, each only once. */
type AnsweredTable = { connection_id: string; workspace_id: string; item: string; digest: string; at: number };

export type ActionState = 'held' | 'approved' | 'running' | 'done' | 'failed' | 'denied' | 'withdrawn' | 'expired';

/** Calls of connections that need a person's approval. */
type ActionsTable = {
  id: string;
  workspace_id: string;
  connection_id: string;
  /** The name of the app or key when it asked; null if it is not known any more. */
  client: string | null;
  user_id: string;
  tool: string;
  facade: 'rest' | 'mcp';
  act: Act;
  state: ActionState;
  /** `connection:digest` while the call waits, is approved or runs, so that a repeated call finds it. */
  open_key: string | null;
  /** The SHA-256 of the tool and of the input as the connection sent it. */
  digest: string;
  /** The input, the changes a person made to it, and the answer, encrypted. */
  sealed: string;
  reasons: Json<readonly string[]>;
  account_ids: Json<readonly string[]>;
  brand_ids: Json<readonly string[]>;
  /** The inbox item that the call answers. */
  item: string | null;
  /** Media downloaded for the call, until it is finished. */
  file_ids: Json<readonly string[]> | null;
  /** The versions of the posts it changes, as of when the call began to wait or was last approved. */
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

/** The decision on a call: run, held for approval or denied at first; later approved, expired or settled by a repeat. */
export const AUDIT_VERDICTS = Object.freeze(['allow', 'hold', 'deny', 'approved', 'expired', 'repeat'] as const);
export type AuditVerdict = (typeof AUDIT_VERDICTS)[number];

/** Who made a call: a key, an app, a person, somebody who is not signed in, or the server itself. */
export const AUDIT_CALLERS = Object.freeze(['key', 'oauth', 'dashboard', 'visitor', 'server'] as const);
export type AuditCaller = (typeof AUDIT_CALLERS)[number];

/** How a call came in: through an API, a form of a page, the job that runs approved calls, or a server command. */
export const AUDIT_PLACES = Object.freeze(['rest', 'mcp', 'page', 'job', 'command'] as const);
export type AuditPlace = (typeof AUDIT_PLACES)[number];

/** What limited and OAuth connections did or tried to do, what people did and decided, and who signed in. */
type AuditTable = {
  id: string;
  workspace_id: string;
  at: number;
  user_id: string | null;
  connection_id: string | null;
  caller_kind: AuditCaller;
  /** The name of the key, client or person. */
  client: string;
  facade: AuditPlace;
  request_id: string;
  /** An operation, or something a person did on a page, such as `sign_in`. */
  tool: string;
  act: Act | null;
  verdict: AuditVerdict;
  /** A summary of the input, without secrets. */
  args: Json<JsonObject>;
  /** The network address that the request came from. */
  address: string | null;
  status: number | null;
  code: string | null;
  /** The id of what was created or changed. */
  effect_id: string | null;
  action_id: string | null;
  ms: number | null;
};
