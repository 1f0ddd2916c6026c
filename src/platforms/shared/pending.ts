import { PlatformError } from '../errors.ts';

/** The platform is still working; `seconds` is its advice on when to check again. */
export function pending(message: string, seconds?: number): PlatformError {
  return new PlatformError('pending', 'api_error', message, { retryAfter: seconds });
}

/** Turns a refusal that had no effect into a pending state, so that the step is retried after `seconds`. */
export function pendingAs(error: PlatformError, seconds?: number): PlatformError {
  const { reason, message, status, upstream, details, code } = error;
  return new PlatformError('pending', reason, message, {
    status,
    upstream,
    details,
    code,
    retryAfter: seconds,
    cause: error,
  });
}
