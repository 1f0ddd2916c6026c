import { ApiError, ownCodes, type ErrorCode } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { PlatformError, type Reported } from './errors.ts';

/** The code of a connector's failure: one of its own or a conflict where it says so, else that of the reason. */
export function codeOf(platform: PlatformSlug, { code, reason }: PlatformError): ErrorCode {
  const known = code === 'resource.conflict' || ownCodes(platform).some((own) => own === code);
  return code !== undefined && known ? code : `platform.${platform}.${reason}`;
}

/** What the platform said that refused or failed; nothing where the failure is not one of its answers. */
export function reportedBy({ status, details: { code, subcode, message } }: PlatformError): Reported {
  return {
    ...(status !== undefined && { platform_status: status }),
    ...(code !== undefined && { platform_code: code }),
    ...(subcode !== undefined && { platform_subcode: subcode }),
    ...(message !== undefined && { platform_message: message }),
  };
}

const REPORTED = ['platform_status', 'platform_code', 'platform_subcode', 'platform_message'] as const;

/** The same out of what holds other things too. */
export function reportedIn(failed: Readonly<Partial<Record<keyof Reported, unknown>>>): Reported {
  return Object.fromEntries(REPORTED.flatMap((name) => (failed[name] === undefined ? [] : [[name, failed[name]]])));
}

/** The reason of what failed later, as data: our code and words, and what the platform said. */
export type LaterFailure = Readonly<{ code: ErrorCode; message: string }> & Reported;

/** The same out of the error that a table makes of it. */
export const laterFailure = (platform: PlatformSlug, error: PlatformError): LaterFailure => ({
  code: codeOf(platform, error),
  message: error.message,
  ...reportedBy(error),
});

/** The same of a refusal that was answered. */
export const refusedFailure = ({ code, message, detail }: ApiError): LaterFailure => ({
  code,
  message,
  ...reportedIn(detail.meta ?? {}),
});

/**
 * An error of a request by which nothing can be public unseen: what the platform refused in its own words is refused,
 * under the code of every platform, as one of its own would say that the outcome is unknown.
 */
export function conclusive(error: PlatformError): PlatformError {
  if (!error.unlisted) return error;
  const { status, upstream, details } = error;
  return new PlatformError('refused', 'invalid_request', UNLISTED, {
    ...(status !== undefined && { status }),
    ...(upstream !== undefined && { upstream }),
    details,
    cause: error,
  });
}

const UNLISTED = 'The platform refused this with an error that is not listed.';

/** Maps a connector's failure to the error of an operation, with what is to be done about it; returns other errors unchanged. */
export function platformRefusal(platform: PlatformSlug, thrown: unknown, next?: string): unknown {
  if (!(thrown instanceof PlatformError)) return thrown;
  const error = conclusive(thrown);
  const meta = reportedBy(error);
  return new ApiError(codeOf(platform, error), {
    message: error.message,
    retryAfter: error.retryAfter ?? undefined,
    cause: error,
    ...(next !== undefined && { next }),
    ...(Object.keys(meta).length > 0 && { meta }),
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
    ? new ApiError(code, {
        message: (error as PlatformError).message,
        meta: reportedBy(error as PlatformError),
        cause: error,
      })
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
