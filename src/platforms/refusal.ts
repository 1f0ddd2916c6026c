import { ApiError, ownCodes, type ErrorCode } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { PlatformError, type Reported } from './errors.ts';

/** The error code of a connector's failure: its own code if it has one, otherwise the code of the reason. */
export function codeOf(platform: PlatformSlug, { code, reason }: PlatformError): ErrorCode {
  const known = code === 'resource.conflict' || ownCodes(platform).some((own) => own === code);
  return code !== undefined && known ? code : `platform.${platform}.${reason}`;
}

/** The platform's details of a failure; empty if the failure did not come from the platform. */
export function reportedBy({ status, details: { code, subcode, message } }: PlatformError): Reported {
  return {
    ...(status !== undefined && { platform_status: status }),
    ...(code !== undefined && { platform_code: code }),
    ...(subcode !== undefined && { platform_subcode: subcode }),
    ...(message !== undefined && { platform_message: message }),
  };
}

const REPORTED = ['platform_status', 'platform_code', 'platform_subcode', 'platform_message'] as const;

/** Picks the platform's details from an object that also has other members. */
export function reportedIn(failed: Readonly<Partial<Record<keyof Reported, unknown>>>): Reported {
  return Object.fromEntries(REPORTED.flatMap((name) => (failed[name] === undefined ? [] : [[name, failed[name]]])));
}

/** A failure after acceptance, as data: code, message and the platform's details. */
export type LaterFailure = Readonly<{ code: ErrorCode; message: string }> & Reported;

export const laterFailure = (platform: PlatformSlug, error: PlatformError): LaterFailure => ({
  code: codeOf(platform, error),
  message: error.message,
  ...reportedBy(error),
});

export const refusedFailure = ({ code, message, detail }: ApiError): LaterFailure => ({
  code,
  message,
  ...reportedIn(detail.meta ?? {}),
});

/** Makes an unlisted refusal final, for requests that cannot have published anything. */
export function conclusive(error: PlatformError): PlatformError {
  if (!error.unlisted) return error;
  const { status, upstream, details } = error;
  return new PlatformError('refused', 'invalid_request', UNLISTED, { status, upstream, details, cause: error });
}

const UNLISTED = 'The platform refused this with an error that is not listed.';

/** Maps a connector's failure to an operation's error with a next step; other errors are returned as they are. */
export function platformRefusal(platform: PlatformSlug, thrown: unknown, next?: string): unknown {
  if (!(thrown instanceof PlatformError)) return thrown;
  const error = conclusive(thrown);
  const meta = reportedBy(error);
  return new ApiError(codeOf(platform, error), {
    message: error.message,
    retryAfter: error.retryAfter,
    cause: error,
    ...(next !== undefined && { next }),
    ...(Object.keys(meta).length > 0 && { meta }),
  });
}

/** Maps refused credentials to an error with the advice to correct them. */
export function credentialsRefusal(platform: PlatformSlug, error: unknown): unknown {
  const { reason } = error instanceof PlatformError ? error : {};
  const isOfThem = reason === 'auth' || reason === 'invalid_request';
  return platformRefusal(platform, error, isOfThem ? 'Correct the credentials and connect again.' : undefined);
}

/** Maps a failed login to an error; if the app was refused, the code says that the caller must correct the app. */
export function loginRefusal(platform: PlatformSlug, error: unknown): unknown {
  if (!(error instanceof PlatformError)) return error;
  const { code, message } = error;
  const isOfApp = code === 'byok.credentials_invalid' || code === 'byok.credentials_forbidden';
  return isOfApp
    ? new ApiError(code, { message, meta: reportedBy(error), cause: error })
    : platformRefusal(platform, error);
}

/** Awaits a connector's result; its failure is thrown as an operation's error. */
export async function orPlatformRefusal<T>(platform: PlatformSlug, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw platformRefusal(platform, error);
  }
}
