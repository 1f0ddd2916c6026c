import { scopesOf, type Role } from './people/roles.ts';
import type { Planned, PlanTier } from './plans.ts';
import { SCOPES, type Scope } from './scopes.ts';

/** The fields of a workspace that decide about a call, read together with the caller's credential. */
export type Workspace = Planned &
  Readonly<{
    id: string;
    blockedAt: number | undefined;
    /** The IANA timezone in which times without an offset are interpreted. */
    timezone: string;
  }>;

export function workspaceOf(
  row: Readonly<{
    workspace_id: string;
    plan: PlanTier;
    workspace_created_at: number;
    plan_since: number | null;
    cycle_anchor: number | null;
    allowed_platforms: readonly string[] | null;
    blocked_at: number | null;
    timezone: string;
  }>,
): Workspace {
  return Object.freeze({
    id: row.workspace_id,
    plan: row.plan,
    createdAt: row.workspace_created_at,
    planSince: row.plan_since ?? undefined,
    cycleAnchor: row.cycle_anchor ?? undefined,
    allowedPlatforms: row.allowed_platforms ?? undefined,
    blockedAt: row.blocked_at ?? undefined,
    timezone: row.timezone,
  });
}

/** What a call may see and do; derived once from its credential, and required by every query of tenant data. */
export type Authority = Readonly<{
  workspace: string;
  /** Undefined means all brands. */
  brands: readonly string[] | undefined;
  /** Undefined means all scopes. */
  scopes: readonly Scope[] | undefined;
  /** Whether it may manage workspace-wide objects, such as keys and webhooks. */
  admin: boolean;
  /** Whether it acts for a person signed in to the dashboard. */
  dashboard: boolean;
}>;

/** Limits of a credential; an empty list means no limit. */
type Limits = Readonly<{ brands?: readonly string[]; scopes?: readonly Scope[]; dashboard?: boolean }>;

/** The authority over a workspace within limits; without limits it is full, as for the server's own work. */
export function authorityOver(workspace: string, { brands, scopes, dashboard = false }: Limits = {}): Authority {
  const limit = <T>(list: readonly T[] = []) => (list.length > 0 ? list : undefined);
  const narrowed = { brands: limit(brands), scopes: limit(scopes) };
  const admin = narrowed.brands === undefined && narrowed.scopes === undefined;
  return Object.freeze({ workspace, ...narrowed, admin, dashboard });
}

/** The authority of a person, which their role limits; with `dashboard` while they are signed in themselves. */
export function authorityOf(
  { workspace_id, role }: Readonly<{ workspace_id: string; role: Role }>,
  limits: Readonly<{ dashboard?: boolean }> = {},
): Authority {
  const scopes = scopesOf(role);
  return authorityOver(workspace_id, { ...limits, ...(scopes && { scopes }) });
}

/** An id that no brand has. */
const NO_BRAND = 'brd_none';

/**
 * Reduces an authority: it can no longer manage the workspace or its webhooks, and has only the brands that both it and
 * the limits allow.
 */
export function leashedAuthority(authority: Authority, leashBrands: readonly string[] | undefined): Authority {
  const scopes = authority.scopes ?? (Object.keys(SCOPES) as Scope[]);
  const { brands = leashBrands } = authority;
  const common = brands?.filter((id) => leashBrands?.includes(id) ?? true);
  return Object.freeze({
    ...authority,
    scopes: scopes.filter((scope) => scope !== 'webhooks:manage'),
    brands: common?.length === 0 ? [NO_BRAND] : common,
    admin: false,
  });
}
