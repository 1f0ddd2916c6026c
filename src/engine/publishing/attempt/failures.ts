import { ApiError, messageOf, type ErrorCode } from '../../../kernel/errors.ts';
import { OutboundError } from '../../../kernel/net/outbound.ts';
import type { PlatformSlug } from '../../../kernel/platforms.ts';
import { PlatformError } from '../../../platforms/errors.ts';
import type { Tally } from './retry-policy.ts';

/** Why a target failed: what is stored; `upstream` and `tally` are for us alone. */
export type TargetError = Readonly<{
  code: ErrorCode;
  message: string;
  /** What to do about it, where the catalogued step does not fit. */
  next?: string | undefined;
  category: 'validation' | 'auth' | 'rate_limit' | 'platform' | 'system';
  caused_by: 'user' | 'platform' | 'system';
  status: number;
  upstream?: string | undefined;
  /** Of a target that waits: what it waits for so far. */
  tally?: Tally | undefined;
}>;

/** A failure of our own making, out of the catalogue. */
export function ownFailure(
  code: ErrorCode,
  detail: Partial<Pick<TargetError, 'message' | 'next' | 'status' | 'upstream'>> = {},
): TargetError {
  return { code, message: messageOf(code), ...blame(code), status: 0, ...detail };
}

/** Codes that begin like this are for the user to put right. */
const USERS = /^(?:validation|media|publishing\.media|account|publishing\.delivery\.(?:account|page|not_supported))/;

function blame(code: ErrorCode): Pick<TargetError, 'category' | 'caused_by'> {
  if (code === 'account.reconnection_required') return { category: 'auth', caused_by: 'user' };
  if (code === 'publishing.delivery.timeout') return { category: 'platform', caused_by: 'platform' };
  return USERS.test(code) ? { category: 'validation', caused_by: 'user' } : { category: 'system', caused_by: 'system' };
}

/** The platform's refusal under its own code. */
export function platformFailure(platform: PlatformSlug, error: PlatformError): TargetError {
  const { reason } = error;
  const category =
    reason === 'auth' || reason === 'permission_denied' || reason === 'blocked'
      ? 'auth'
      : reason === 'rate_limit' || reason === 'publish_limit'
        ? 'rate_limit'
        : reason === 'api_error'
          ? 'platform'
          : 'validation';
  return {
    code: `platform.${platform}.${reason}`,
    message: error.message,
    category,
    caused_by: category === 'validation' || category === 'auth' ? 'user' : 'platform',
    status: error.status ?? 0,
    upstream: error.upstream,
  };
}

/** How a try failed: for good, or (with `again`) in a way that may pass. */
export type Setback = Readonly<{ shown: TargetError; again?: PlatformError }>;

const PASSING: ReadonlySet<OutboundError['kind']> = new Set(['dns', 'connect', 'tls', 'timeout', 'reset', 'protocol']);

/** What the finder of pages says when none of an account's can take the post. */
const PAGELESS: ReadonlySet<ErrorCode> = new Set(['account.no_active_page', 'account.page_inactive']);

/** Sorts what a connector or another room threw; undefined for what nobody meant to throw. */
export function setbackOf(platform: PlatformSlug, thrown: unknown): Setback | undefined {
  if (thrown instanceof PlatformError) {
    const shown = platformFailure(platform, thrown);
    return thrown.kind === 'refused' ? { shown } : { shown, again: thrown };
  }
  if (!(thrown instanceof ApiError)) return undefined;
  if (thrown.code === 'account.not_found') return { shown: ownFailure('publishing.delivery.account_load_failed') };
  if (
    PAGELESS.has(thrown.code) ||
    (thrown.code === 'resource.not_found' && thrown.detail.meta?.['resource'] === 'page')
  ) {
    return { shown: ownFailure('publishing.delivery.page_resolve_failed', { message: thrown.message }) };
  }
  const { message, status, detail } = thrown;
  const shown = ownFailure(thrown.code, { message, next: detail.next, status });
  const { cause } = thrown;
  if (cause instanceof PlatformError) return { shown, again: cause };
  // A media address that does not answer now may answer in a minute; the post itself has not been refused.
  if (!(cause instanceof OutboundError) || !PASSING.has(cause.kind)) return { shown };
  return {
    shown,
    again: new PlatformError(cause.sent ? 'unknown' : 'not_sent', 'api_error', thrown.message, { cause }),
  };
}
