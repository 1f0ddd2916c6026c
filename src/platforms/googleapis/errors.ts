import type { PlatformError } from '../errors.ts';
import { errorTable, type ErrorRow, type Failed, isInconclusive, waitOf, wordOf } from '../shared/errors.ts';
import type { Answer } from '../shared/rest.ts';

/** `name` is the reason or else the status; `state` is the status; `limit` is that of the exhausted quota. */
export type GoogleFailed = Failed & Readonly<{ state: string; limit: string }>;

export type GoogleErrorRow = ErrorRow<GoogleFailed>;

/** Error names of quotas that renew daily; other such quotas are recognizable only by the text. */
const DAILY = ['quotaExceeded', 'dailyLimitExceeded'];
const IN_WORDS = /\bper day\b/i;
const QUOTAS = ['RESOURCE_EXHAUSTED', 'RATE_LIMIT_EXCEEDED', 'rateLimitExceeded', 'userRateLimitExceeded', ...DAILY];
const CLOSED = ['SERVICE_DISABLED', 'accessNotConfigured'];
const SCOPES = ['ACCESS_TOKEN_SCOPE_INSUFFICIENT', 'insufficientPermissions'];

const COMMON: readonly GoogleErrorRow[] = Object.freeze<GoogleErrorRow[]>([
  // A limit of 0 means that Google never admitted the project, so waiting does not help.
  [{ limit: '0' }, 'refused', 'permission_denied', "Google has not opened this API to the app's project yet."],
  [{ name: QUOTAS }, 'throttled', 'rate_limit'],
  [{ status: 429 }, 'throttled', 'rate_limit'],
  [isInconclusive, 'unknown', 'api_error'],
  [{ status: 401 }, 'refused', 'auth', { expired: true }],
  [{ name: CLOSED }, 'refused', 'permission_denied', 'This API is not enabled in the Google Cloud project of the app.'],
  [
    { name: SCOPES },
    'refused',
    'permission_denied',
    'The permission was not granted: connect the account again and allow it.',
  ],
  [{ status: 403 }, 'refused', 'permission_denied'],
  [{ status: 404 }, 'refused', 'not_found'],
  [{ status: 409, state: 'ALREADY_EXISTS' }, 'refused', 'duplicate'],
  [{ status: 400, text: /migrate all the usages/i }, 'refused', 'version_ended'],
  [{ status: [400, 412, 413] }, 'refused', 'invalid_request'],
]);

type Detail = Readonly<{
  reason?: unknown;
  metadata?: Readonly<{ quota_limit_value?: unknown }>;
  fieldViolations?: unknown;
  errorDetails?: unknown;
}>;
/** An invalid field, in the form of newer APIs or of the older one of Business Profile. */
type Flaw = Readonly<{ field?: unknown; description?: unknown; message?: unknown }> | null;
type Body = Readonly<{ message?: unknown; status?: unknown; details?: unknown; errors?: unknown }>;

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** The details of an error: `details` in newer APIs, `errors` in older ones. */
function detailsIn({ details, errors }: Body): readonly Detail[] {
  const all = [details, errors].flatMap(listIn);
  return all.filter((one): one is Detail => typeof one === 'object' && one !== null);
}

function textIn(message: unknown, details: readonly Detail[]): string {
  const flaws = details.flatMap(({ fieldViolations, errorDetails }) => [fieldViolations, errorDetails].flatMap(listIn));
  const words = (flaws as readonly Flaw[]).map((flaw) => {
    const what = wordOf(flaw?.description ?? flaw?.message, 200);
    return [wordOf(flaw?.field, 100), what].filter(Boolean).join(': ');
  });
  return wordOf([...new Set([wordOf(message, 300), ...words])].filter(Boolean).join(' '), 300);
}

/** The errors of one Google API, with its own rows first; `dayEnd` returns when its quota day ends. */
export function googleErrors(own: readonly GoogleErrorRow[] = [], dayEnd?: (now: number) => number) {
  const table = errorTable<GoogleFailed>([...own, ...COMMON]);
  return Object.freeze({
    table,
    errorOf({ status, headers, body }: Answer, now: number): PlatformError | undefined {
      const { error } = (body ?? {}) as Readonly<{ error?: unknown }>;
      if (status >= 200 && status <= 299 && error === undefined) return undefined;
      const errorBody: Body = typeof error === 'object' && error !== null ? error : { status: error };
      const state = wordOf(errorBody.status, 100);
      const details = detailsIn(errorBody);
      const reasons = details.map(({ reason }) => wordOf(reason, 100));
      const limits = details.map(({ metadata }) => wordOf(metadata?.quota_limit_value, 20));
      const name = reasons.find(Boolean) ?? state;
      const text = textIn(errorBody.message, details);
      const daily = dayEnd && (DAILY.includes(name) || IN_WORDS.test(text));
      return table.errorOf({
        status,
        name,
        state,
        limit: limits.find(Boolean) ?? '',
        text,
        wait: daily ? Math.ceil((dayEnd(now) - now) / 1000) : waitOf(headers, now),
      });
    },
  });
}
