import { ApiError } from '../kernel/errors.ts';
import type { PlatformSlug } from '../kernel/platforms.ts';
import { PlatformError } from './errors.ts';

/** A connector's failure as the answer of an operation; every other error stays what it is. */
export function platformRefusal(platform: PlatformSlug, error: unknown): unknown {
  if (!(error instanceof PlatformError)) return error;
  return new ApiError(`platform.${platform}.${error.reason}`, {
    message: error.message,
    retryAfter: error.retryAfter ?? undefined,
    cause: error,
  });
}
