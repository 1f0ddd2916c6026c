import { ApiError, ownCodes, type ErrorCode } from '../kernel/errors.ts';
import type { PlatformSlug } from '../kernel/platforms.ts';
import { PlatformError } from './errors.ts';

/** The code of a connector's failure: the platform's own where it has one, else that of the reason. */
export function codeOf(platform: PlatformSlug, { code, reason }: PlatformError): ErrorCode {
  return code !== undefined && ownCodes(platform).includes(code) ? code : `platform.${platform}.${reason}`;
}

/** Maps a connector's failure to the error of an operation; returns other errors unchanged. */
export function platformRefusal(platform: PlatformSlug, error: unknown): unknown {
  if (!(error instanceof PlatformError)) return error;
  return new ApiError(codeOf(platform, error), {
    message: error.message,
    retryAfter: error.retryAfter ?? undefined,
    cause: error,
  });
}
