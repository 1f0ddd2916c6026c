import { SCOPE } from '#oauth/constants.ts';
import { REFERENCE } from './http/areas.ts';
import type { ApiError, ErrorCode } from '#kernel/errors.ts';

type Headers = Readonly<Record<string, string>>;

const NONE: Headers = Object.freeze({});
/** Errors of callers without a token: the header must not call their token invalid (RFC 6750 § 3.1). */
const TOKENLESS: ReadonlySet<ErrorCode> = new Set([
  'auth.missing_header',
  'auth.empty_token',
  'auth.not_authenticated',
]);

export function waitHeader({ detail: { retryAfter } }: ApiError): Headers {
  return retryAfter === undefined ? NONE : { 'Retry-After': String(Math.ceil(retryAfter)) };
}

/** Links to the explanation of an error code, as the contract's envelope has no field for it. */
export function helpHeader({ code }: Pick<ApiError, 'code'>, rootUrl: string): Headers {
  return { Link: `<${rootUrl}${REFERENCE}/errors#${code}>; rel="help"` };
}

/** Headers of a refusal: where to get a token, or when to retry. */
export function refusalHeaders(error: ApiError, rootUrl: string, resource: '' | '/mcp'): Headers {
  if (error.status !== 401 || !error.code.startsWith('auth.')) return waitHeader(error);
  const metadata = `${rootUrl}/.well-known/oauth-protected-resource${resource}`;
  const fault = TOKENLESS.has(error.code) ? '' : ', error="invalid_token"';
  return { 'WWW-Authenticate': `Bearer resource_metadata="${metadata}", scope="${SCOPE}"${fault}` };
}
