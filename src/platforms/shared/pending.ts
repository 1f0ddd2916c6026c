import { PlatformError } from '../errors.ts';

/** The platform is still at work; `seconds` until the next check is worthwhile, if it says so. */
export function pending(message: string, seconds?: number): PlatformError {
  return new PlatformError('pending', 'api_error', message, { retryAfter: seconds });
}

/** A refusal that made nothing, retried after some `seconds` before it counts. */
export function pendingAs(error: PlatformError, seconds?: number): PlatformError {
  const { reason, message, status, upstream, details, code } = error;
  return new PlatformError('pending', reason, message, {
    ...(status !== undefined && { status }),
    ...(upstream !== undefined && { upstream }),
    details,
    code,
    retryAfter: seconds,
    cause: error,
  });
}
