import type { PlatformError } from '../errors.ts';
import { errorTable, type ErrorRow, type Failed, isInconclusive, waitOf, wordOf } from '../shared/errors.ts';
import type { Answer } from '../shared/rest.ts';

/**
 * What an error of a Google API says: `name` is its reason, the canonical status where it gives none, and `state` is
 * that status.
 */
export type GoogleFailed = Failed & Readonly<{ state: string }>;

export type GoogleErrorRow = ErrorRow<GoogleFailed>;

const QUOTAS = [
  'RESOURCE_EXHAUSTED',
  'RATE_LIMIT_EXCEEDED',
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'quotaExceeded',
  'dailyLimitExceeded',
];
const CLOSED = ['SERVICE_DISABLED', 'accessNotConfigured'];
const SCOPES = ['ACCESS_TOKEN_SCOPE_INSUFFICIENT', 'insufficientPermissions'];

/** Errors of every Google API, by reason and status. */
const COMMON: readonly GoogleErrorRow[] = Object.freeze<GoogleErrorRow[]>([
  [{ name: QUOTAS }, 'throttled', 'rate_limit'],
  [{ status: 429 }, 'throttled', 'rate_limit'],
  [isInconclusive, 'unknown', 'api_error'],
  [{ status: 401 }, 'refused', 'auth', { expired: true }],
  [{ name: CLOSED }, 'refused', 'permission_denied', 'This API is not enabled in the Google Cloud project of the app.'],
  [{ name: SCOPES }, 'refused', 'permission_denied', 'The login did not grant this: connect the account again.'],
  [{ status: 403 }, 'refused', 'permission_denied'],
  [{ status: 404 }, 'refused', 'not_found'],
  [{ status: 409, state: 'ALREADY_EXISTS' }, 'refused', 'duplicate'],
  [{ status: [400, 412, 413] }, 'refused', 'invalid_request'],
]);

type Body = Readonly<{
  message?: unknown;
  status?: unknown;
  details?: readonly (Readonly<{ reason?: unknown }> | null)[];
  errors?: readonly (Readonly<{ reason?: unknown }> | null)[];
}>;

/** The reason in one of the lists that an error may have: the newer APIs' details, or the older ones' errors. */
function reasonIn({ details, errors }: Body): unknown {
  const all = [details, errors].flatMap((list) => (Array.isArray(list) ? (list as NonNullable<Body['errors']>) : []));
  return all.map((one) => one?.reason).find((reason) => typeof reason === 'string' && reason !== '');
}

/** The errors of one Google API: rows of its own, which go before those of all. */
export function googleErrors(own: readonly GoogleErrorRow[] = []) {
  const table = errorTable<GoogleFailed>([...own, ...COMMON]);
  return Object.freeze({
    table,
    /** The error of an answer; a success of any kind has none. */
    errorOf({ status, headers, body }: Answer, now: number): PlatformError | undefined {
      const { error } = (body ?? {}) as Readonly<{ error?: unknown }>;
      if (status >= 200 && status <= 299 && error === undefined) return undefined;
      const said: Body = typeof error === 'object' && error !== null ? error : { status: error };
      const state = wordOf(said.status, 100);
      return table.errorOf({
        status,
        name: wordOf(reasonIn(said), 100) || state,
        state,
        text: wordOf(said.message, 300),
        wait: waitOf(headers, now),
      });
    },
  });
}
