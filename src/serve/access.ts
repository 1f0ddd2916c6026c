import type { Caller } from '#call/caller.ts';
import { isLeashable, type Access, type AnyTool } from '#call/tool.ts';
import { ACTS, type Act } from '#kernel/acts.ts';
import type { Authority } from '#kernel/authority.ts';
import { ApiError, fail, orRefusal } from '#kernel/errors.ts';
import { WORKSPACE_SCOPES, type Scope } from '#kernel/scopes.ts';

/** Refuses callers who may not call an operation. REST checks this before it reads a large body. */
export function refuseCaller(tool: AnyTool, caller: Caller): void {
  if (caller.newcomer !== undefined && tool.newcomers !== true) fail('auth.not_provisioned');
  if (caller.workspace.blockedAt !== undefined && tool.pastDue !== 'exempt') fail('billing.past_due');
  if (!isOpenTo(tool, caller)) fail('auth.beta_only');
  refuseLeashed(tool, caller);
  refuseAccess(tool, caller);
}

/** Whether an operation is open to this caller: to everybody, or only to beta testers. */
function isOpenTo({ testers }: AnyTool, { userId }: Caller): boolean {
  return testers?.has(userId) ?? true;
}

/** The acts that calls of an operation may perform. */
const actsOf = ({ act, lighter }: AnyTool): readonly Act[] => [act, lighter?.act].filter((one) => one !== undefined);

/** Refuses an operation if the caller's limits deny all its acts, even with approval. */
function refuseLeashed(tool: AnyTool, { leash }: Caller): void {
  if (leash === undefined || !isLeashable(tool)) return;
  if (actsOf(tool).every((act) => leash.policy.acts[act] === 'deny')) denyAct(tool.act!);
}

/** The act that one call performs, as far as its input shows. */
export function actOf({ act, lighter }: AnyTool, input: object): Act {
  return lighter?.when(input) === true ? lighter.act : act!;
}

/** Refuses an act that the limits of a connection do not allow; says which calls of the operation they do. */
export function denyAct(act: Act, how?: string): never {
  fail('auth.leash_denied', {
    message: `This connection may not do this (${act}: ${ACTS[act]})${how === undefined ? '' : ` ${how}`}`,
    meta: { act },
  });
}

/** Denies by default: docs/contract/access.md#kinds-of-access. */
function refuseAccess({ access, effect }: Pick<AnyTool, 'access' | 'effect'>, caller: Caller): void {
  if ('open' in access) return;
  if ('dashboard' in access || 'decide' in access) return refuseForPeople(access, caller);
  const { authority, kind, leash } = caller;
  if ('admin' in access) {
    if (authority.admin) return;
    if (kind !== 'key' && leash === undefined) refuseRole(false, caller);
    fail('auth.insufficient_scope', { message: 'This operation requires a full-access API key or the dashboard.' });
  }
  const { scope } = access;
  if (kind !== 'key' && effect !== 'read') refuseRole(hasScope(authority, CHANGING) || !READING.test(scope), caller);
  refuseScope(scope, caller);
}

/** Refuses an operation for people, which some keys may call if it is a decision. */
function refuseForPeople(access: Extract<Access, { dashboard: unknown } | { decide: unknown }>, caller: Caller): void {
  const { authority, kind, decides } = caller;
  if ('decide' in access) {
    if (authority.dashboard) return refuseRole(hasScope(authority, CHANGING), caller);
    if (decides) return;
    fail('auth.insufficient_scope', {
      message: 'Only people in the dashboard, or a key with the right to decide, can decide on waiting requests.',
    });
  }
  if (!authority.dashboard) fail(kind === 'key' ? 'auth.dashboard_only' : 'auth.requires_dashboard_auth');
  refuseRole(access.dashboard === true ? authority.admin : hasScope(authority, access.dashboard), caller);
}

function refuseScope(scope: Scope, caller: Caller): void {
  const { authority, kind, leash } = caller;
  const meta = { required_scope: scope };
  if (!hasScope(authority, scope)) {
    // The limits of a connection take only webhooks away; a key has no role.
    if (kind !== 'key' && (leash === undefined || scope !== 'webhooks:manage')) refuseRole(false, caller);
    fail('auth.insufficient_scope', { message: `This API key does not have the required scope: ${scope}`, meta });
  }
  if (authority.brands !== undefined && WORKSPACE_SCOPES.has(scope)) {
    fail('auth.insufficient_scope', {
      message: 'This operation is not available to brand-restricted API keys.',
      meta,
    });
  }
}

/** The scope without which a role changes nothing, and does not decide on waiting requests. */
const CHANGING = 'posts:write';
const READING = /:read$/;

const hasScope = ({ scopes }: Authority, scope: Scope): boolean => scopes?.includes(scope) ?? true;

/** Refuses people whose role does not allow an operation, and the apps that they connected. */
function refuseRole(isAllowed: boolean, { kind }: Caller): void {
  if (isAllowed) return;
  const [whose, whom] = kind === 'dashboard' ? ['Your role', 'you'] : ["The person's role", 'the person'];
  fail('auth.insufficient_scope', {
    message: `${whose} in this workspace does not allow this.`,
    next: `Ask an administrator of the workspace to do it, or to give ${whom} another role.`,
  });
}

/** Whether `refuseCaller` would pass. */
export function mayCall(tool: AnyTool, caller: Caller): boolean {
  return !(orRefusal(() => refuseCaller(tool, caller)) instanceof ApiError);
}

/** Whether the role or the key of a caller allows an operation, whatever the state of the workspace. */
export function hasAccess(tool: AnyTool, caller: Caller): boolean {
  return !(orRefusal(() => refuseAccess(tool, caller)) instanceof ApiError);
}

/** The properties that decide `refuseCaller`: callers with the same profile may call the same tools. */
export function profileOf({ kind, newcomer, workspace, authority, leash }: Caller): string {
  const { dashboard, admin, brands, scopes } = authority;
  const { blockedAt } = workspace;
  const state = [
    kind === 'key',
    newcomer !== undefined,
    blockedAt !== undefined,
    dashboard,
    admin,
    brands !== undefined,
  ];
  const verdicts = leash === undefined ? [] : Object.values(leash.policy.acts);
  return [...state, ...(scopes?.toSorted() ?? []), ...verdicts].join(' ');
}
