import { isHoldable, isLeashable, type AnyTool, type DeclaredError } from '#call/tool.ts';
import { ERRORS, PLATFORM_REASONS, type PlatformReason } from '#kernel/errors.ts';

/** A refusal in the documentation. `<platform>` stands for every slug. */
export type Refusal = Readonly<{ code: string; status: number; message: string }>;

/** Refusals that any platform may give to any call; tools declare the others. */
const USUAL_REASONS: readonly PlatformReason[] = [
  'auth',
  'rate_limit',
  'permission_denied',
  'not_found',
  'invalid_request',
  'api_error',
  'blocked',
  'version_ended',
];
/** The same, for calls that write. */
const WRITING_REASONS: readonly PlatformReason[] = [...USUAL_REASONS, 'duplicate'];

/** Every refusal of an operation: those it declares, and those of access and input. */
export function refusalsOf(tool: AnyTool): readonly Refusal[] {
  const codes = new Set<DeclaredError>([
    'auth.missing_header',
    'auth.empty_token',
    'auth.invalid_key',
    'auth.invalid_token',
    'auth.user_not_found',
    'auth.not_provisioned',
    ...accessErrors(tool),
    ...(isHoldable(tool) ? (['auth.leash_exhausted'] as const) : []),
    ...(isLeashable(tool) ? (['auth.leash_denied'] as const) : []),
    // BETA_TOOLSETS can close any toolset.
    'auth.beta_only',
    ...(tool.pastDue === 'exempt' ? [] : (['billing.past_due'] as const)),
    ...inputErrors(tool),
    ...repeatErrors(tool),
    ...tool.errors,
    ...(tool.openWorld === true ? (['system.paused'] as const) : []),
    'http.503',
    'system.internal',
  ]);
  const usual = tool.effect === 'read' ? USUAL_REASONS : WRITING_REASONS;
  return [...codes].flatMap((code) => (code === 'platform.*' ? usual.map(ofPlatform) : [describe(code)]));
}

function accessErrors({ access }: AnyTool): readonly DeclaredError[] {
  if ('open' in access) return [];
  const forPeople = ['auth.dashboard_only', 'auth.requires_dashboard_auth'] as const;
  return [...('dashboard' in access ? forPeople : []), 'auth.insufficient_scope'];
}

function inputErrors({ http, input }: AnyTool): readonly DeclaredError[] {
  const fields: readonly DeclaredError[] =
    Object.keys(input.shape as object).length === 0 ? [] : ['validation.field_required', 'validation.field_invalid'];
  return http.method === 'GET' ? fields : [...fields, 'validation.body_invalid', 'http.413', 'http.415'];
}

/** Errors of the Idempotency-Key: malformed, still running, or used for another request. */
function repeatErrors({ http }: AnyTool): readonly DeclaredError[] {
  return http.method === 'POST' ? ['validation.field_invalid', 'resource.conflict'] : [];
}

function describe(code: Exclude<DeclaredError, 'platform.*'>): Refusal {
  const known = ERRORS[code as keyof typeof ERRORS] as readonly [number, string] | undefined;
  if (known !== undefined) return { code, status: known[0], message: known[1] };
  const [, platform = '', reason = ''] = code.split('.');
  const [status, message] = PLATFORM_REASONS[reason as PlatformReason];
  return { code: `platform.${platform === '*' ? '<platform>' : platform}.${reason}`, status, message };
}

function ofPlatform(reason: PlatformReason): Refusal {
  const [status, message] = PLATFORM_REASONS[reason];
  return { code: `platform.<platform>.${reason}`, status, message };
}

/** Whether an operation declares a refusal itself. */
export function isOwn({ errors }: AnyTool, { code }: Refusal): boolean {
  return (errors as readonly string[]).some((one) => covers(one, code));
}

function covers(declared: string, code: string): boolean {
  if (declared === 'platform.*') return code.startsWith('platform.<platform>.');
  return declared.replace('platform.*.', 'platform.<platform>.') === code;
}
