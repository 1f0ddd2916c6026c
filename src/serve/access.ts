import type { Caller } from '#call/caller.ts';
import type { AnyTool } from '#call/tool.ts';
import { ApiError, fail, orRefusal } from '#kernel/errors.ts';
import { WORKSPACE_SCOPES } from '#kernel/scopes.ts';

/** Refuses callers who may not call an operation; REST checks before reading a large body. */
export function refuseCaller(tool: AnyTool, caller: Caller): void {
  if (caller.newcomer !== undefined && tool.newcomers !== true) fail('auth.not_provisioned');
  if (caller.workspace.blockedAt !== undefined && tool.pastDue !== 'exempt') fail('billing.past_due');
  if (!isOpenTo(tool, caller)) fail('auth.beta_only');
  refuseAccess(tool, caller);
}

/** Whether an operation is open to everybody, or at least to this caller. */
export function isOpenTo({ testers }: AnyTool, { userId }: Caller): boolean {
  return testers?.has(userId) ?? true;
}

/** Denies by default: docs/contract/access.md#kinds-of-access. */
function refuseAccess({ access }: AnyTool, caller: Caller): void {
  if ('open' in access) return;
  const { authority } = caller;
  if ('dashboard' in access) {
    if (authority.dashboard) return;
    fail(caller.kind === 'key' ? 'auth.dashboard_only' : 'auth.requires_dashboard_auth');
  }
  if ('admin' in access) {
    if (authority.admin) return;
    fail('auth.insufficient_scope', { message: 'This operation requires a full-access API key or the dashboard.' });
  }
  const { scope } = access;
  const meta = { required_scope: scope };
  if (authority.scopes !== undefined && !authority.scopes.includes(scope)) {
    fail('auth.insufficient_scope', { message: `This API key does not have the required scope: ${scope}`, meta });
  }
  if (authority.brands !== undefined && WORKSPACE_SCOPES.has(scope)) {
    fail('auth.insufficient_scope', {
      message: 'This operation is not available to brand-restricted API keys.',
      meta,
    });
  }
}

/** Whether `refuseCaller` would pass. */
export function mayCall(tool: AnyTool, caller: Caller): boolean {
  return !(orRefusal(() => refuseCaller(tool, caller)) instanceof ApiError);
}

/** What determines `refuseCaller`: callers with one profile may call the same tools. */
export function profileOf({ newcomer, workspace, authority }: Caller): string {
  const { dashboard, admin, brands, scopes } = authority;
  const state = [newcomer !== undefined, workspace.blockedAt !== undefined, dashboard, admin, brands !== undefined];
  return [...state, ...(scopes?.toSorted() ?? [])].join(' ');
}
