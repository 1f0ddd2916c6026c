import { messageOf, type ErrorCode } from '../../../kernel/errors.ts';
import type { PlatformSlug } from '../../../kernel/platforms.ts';
import type { FailureKind, PlatformError } from '../../../platforms/errors.ts';

/** How often each outcome was met at the step where a target stands. */
export type Tally = Readonly<{ step: string | undefined }> & Readonly<Partial<Record<FailureKind, number>>>;

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
