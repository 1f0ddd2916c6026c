import type { TargetError } from '#db/schema/database.ts';
import { messageOf, type ErrorCode } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { PlatformError, Reported } from '#platforms/errors.ts';
import { codeOf, reportedBy } from '#platforms/refusal.ts';

/** A failure of our own, from the catalogue. */
export function ownFailure(
  code: ErrorCode,
  detail: Partial<Pick<TargetError, 'message' | 'next' | 'status' | 'upstream'>> & Reported = {},
): TargetError {
  return { code, message: messageOf(code), ...blame(code), status: 0, ...detail };
}

/** Prefixes of the error codes that the user can fix. */
const USERS = /^(?:validation|media|publishing\.media|account|publishing\.delivery\.(?:account|page|not_supported))/;

function blame(code: ErrorCode): Pick<TargetError, 'category' | 'caused_by'> {
  if (code === 'account.reconnection_required') return { category: 'auth', caused_by: 'user' };
  if (code === 'publishing.delivery.timeout') return { category: 'platform', caused_by: 'platform' };
  return USERS.test(code) ? { category: 'validation', caused_by: 'user' } : { category: 'system', caused_by: 'system' };
}

const CATEGORY_BY_REASON: ReadonlyMap<PlatformError['reason'], TargetError['category']> = new Map([
  ['auth', 'auth'],
  ['permission_denied', 'auth'],
  ['blocked', 'auth'],
  ['rate_limit', 'rate_limit'],
  ['publish_limit', 'rate_limit'],
  ['api_error', 'platform'],
]);

export function platformFailure(platform: PlatformSlug, error: PlatformError): TargetError {
  const category = CATEGORY_BY_REASON.get(error.reason) ?? 'validation';
  return {
    code: codeOf(platform, error),
    message: error.message,
    category,
    caused_by: category === 'validation' || category === 'auth' ? 'user' : 'platform',
    status: error.status ?? 0,
    upstream: error.upstream,
    ...reportedBy(error),
  };
}
