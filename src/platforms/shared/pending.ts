import { PlatformError } from '../errors.ts';

/** The error of a platform that is still at work; `seconds` until it is worth asking again, where the platform says. */
export function pending(message: string, seconds?: number): PlatformError {
  return new PlatformError('pending', 'api_error', message, { retryAfter: seconds });
}
