import { ApiError, ownCodes, type ErrorCode } from '../kernel/errors.ts';
import type { PlatformSlug } from '../kernel/platforms.ts';
import { PlatformError } from './errors.ts';

/** The code of a connector's failure: one of its own or a conflict where it says so, else that of the reason. */
export function codeOf(platform: PlatformSlug, { code, reason }: PlatformError): ErrorCode {
  const known = code === 'resource.conflict' || ownCodes(platform).some((own) => own === code);
  return code !== undefined && known ? code : `platform.${platform}.${reason}`;
}

/** Maps a connector's failure to the error of an operation, with what is to be done about it; returns other errors unchanged. */
export function platformRefusal(platform: PlatformSlug, error: unknown, next?: string): unknown {
  if (!(error instanceof PlatformError)) return error;
  return new ApiError(codeOf(platform, error), {
    message: error.message,
    retryAfter: error.retryAfter ?? undefined,
    cause: error,
    ...(next !== undefined && { next }),
  });
}

/** The same for credentials that were given, which whoever gave them corrects. */
export function credentialsRefusal(platform: PlatformSlug, error: unknown): unknown {
  const { reason } = error instanceof PlatformError ? error : {};
  const isOfThem = reason === 'auth' || reason === 'invalid_request';
  return platformRefusal(platform, error, isOfThem ? 'Correct the credentials and connect again.' : undefined);
}

/** The same for a failure of a login, where the app that was refused is the caller's to mend. */
export function loginRefusal(platform: PlatformSlug, error: unknown): unknown {
  const { code } = error instanceof PlatformError ? error : {};
  const isOfApp = code === 'byok.credentials_invalid' || code === 'byok.credentials_forbidden';
  return isOfApp
    ? new ApiError(code, { message: (error as PlatformError).message, cause: error })
    : platformRefusal(platform, error);
}

/** The answer of a connector; its failure is thrown as the error of an operation. */
export async function orPlatformRefusal<T>(platform: PlatformSlug, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw platformRefusal(platform, error);
  }
}
