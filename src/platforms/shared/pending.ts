import { PlatformError } from '../errors.ts';

/** The error of a platform that is still at work; `seconds` until it is worth asking again, where the platform says. */
export function pending(message: string, seconds?: number): PlatformError {
  return new PlatformError('pending', 'api_error', message, { retryAfter: seconds });
}

/** A refusal of what made nothing, and is done again or in another way before it counts, after some `seconds`. */
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
