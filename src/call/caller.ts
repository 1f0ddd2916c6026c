import type { PlanTier } from '../kernel/plans.ts';
import type { Scope } from '../kernel/scopes.ts';

/** What a call may see: a workspace and, for a restricted key, the brands it is limited to. */
export type Reach = Readonly<{ workspace: string; brands?: readonly string[] | undefined }>;

/** The workspace facts that decide about a call, read with its token. */
export type Workspace = Readonly<{
  id: string;
  plan: PlanTier;
  createdAt: number;
  blockedAt: number | undefined;
  /** IANA name of the timezone that its people mean when they name a time without an offset. */
  timezone: string;
}>;

/** The facts of a workspace out of its row, or out of a row that was joined with it. */
export function workspaceOf(
  row: Readonly<{
    workspace_id: string;
    plan: PlanTier;
    workspace_created_at: number;
    blocked_at: number | null;
    timezone: string;
  }>,
): Workspace {
  return Object.freeze({
    id: row.workspace_id,
    plan: row.plan,
    createdAt: row.workspace_created_at,
    blockedAt: row.blocked_at ?? undefined,
    timezone: row.timezone,
  });
}

/** Who calls. Keys may be limited to scopes and brands; OAuth and dashboard callers never are. */
export type Caller = Readonly<{
  kind: 'key' | 'oauth' | 'dashboard';
  /** Key id, or the id of the token's grant. */
  id: string;
  name: string;
  userId: string;
  workspace: Workspace;
  scopes: readonly Scope[];
  brandIds: readonly string[];
  /** Set when a dashboard token is about a person who has no user here yet: all they may do is become one. */
  newcomer?: Readonly<{
    email: string;
    name: string;
    /** An identity host says whose the address is: the user who has it, by now, is this person. */
    vouched?: boolean | undefined;
  }>;
}>;

/** True for a key that is limited in any way; only unlimited callers may administrate. */
export function isRestricted(caller: Caller): boolean {
  return caller.scopes.length > 0 || caller.brandIds.length > 0;
}

/** The reach of a caller. */
export function reachOf(caller: Caller): Reach {
  return { workspace: caller.workspace.id, brands: caller.brandIds.length > 0 ? caller.brandIds : undefined };
}
