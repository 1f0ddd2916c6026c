import { SCOPE } from '#oauth/constants.ts';
import type { ApiError, ErrorCode } from '#kernel/errors.ts';

type Headers = Readonly<Record<string, string>>;

const NONE: Headers = Object.freeze({});
/** Said to whoever sent no token, so that none of theirs is called wrong (RFC 6750 § 3.1). */
const TOKENLESS: ReadonlySet<ErrorCode> = new Set([
  'auth.missing_header',
  'auth.empty_token',
  'auth.not_authenticated',
]);

/** When to come back, where the refusal knows. */
export function waitHeader({ detail: { retryAfter } }: ApiError): Headers {
  return retryAfter === undefined ? NONE : { 'Retry-After': String(Math.ceil(retryAfter)) };
}

/** Headers of a refusal by the server as a whole or its MCP endpoint: where tokens come from, or when to come back. */
export function refusalHeaders(error: ApiError, rootUrl: string, resource: '' | '/mcp'): Headers {
  if (error.status !== 401 || !error.code.startsWith('auth.')) return waitHeader(error);
  const metadata = `${rootUrl}/.well-known/oauth-protected-resource${resource}`;
  const fault = TOKENLESS.has(error.code) ? '' : ', error="invalid_token"';
  return { 'WWW-Authenticate': `Bearer resource_metadata="${metadata}", scope="${SCOPE}"${fault}` };
}
