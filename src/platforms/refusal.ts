import { ApiError } from '../kernel/errors.ts';
import type { PlatformSlug } from '../kernel/platforms.ts';
import { PlatformError } from './errors.ts';

/** Maps a connector's failure to the error of an operation; returns other errors unchanged. */
export function platformRefusal(platform: PlatformSlug, error: unknown): unknown {
  if (!(error instanceof PlatformError)) return error;
  return new ApiError(`platform.${platform}.${error.reason}`, {
    message: error.message,
    retryAfter: error.retryAfter ?? undefined,
    cause: error,
  });
}
