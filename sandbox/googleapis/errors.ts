/** Errors in Google's two formats: that of the newer APIs, and the older one with reasons. */
import { TwinError } from '../kit/api/errors.ts';
import type { RateState } from '../kit/api/rates.ts';

/** The format of an API's errors: with status and details, or also with `errors[].reason`. */
export type ErrorForm = 'rpc' | 'legacy';

export type Reason = Readonly<{ reason: string; domain?: string; location?: string; locationType?: string }>;

export type Detail = Readonly<{ '@type': string }> & Readonly<Record<string, unknown>>;

type More = Readonly<{
  errors?: readonly Reason[];
  details?: readonly Detail[];
  headers?: Readonly<Record<string, string>>;
}>;

const CODES = Object.freeze({
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ABORTED: 409,
  ALREADY_EXISTS: 409,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
});
export type Status = keyof typeof CODES;

export class GoogleError extends TwinError {
  readonly #status: string | undefined;
  readonly #more: More;

  constructor(code: number, status: string | undefined, message: string, more: More = {}) {
    super(code, more.errors?.[0]?.reason ?? status ?? String(code), message);
    this.#status = status;
    this.#more = more;
  }
  body() {
    const { errors, details } = this.#more;
    const listed = errors?.map(({ domain = 'global', ...one }) => ({ message: this.message, domain, ...one }));
    const status = this.#status;
    return {
      error: {
        code: this.status,
        message: this.message,
        ...(listed && { errors: listed }),
        ...(status !== undefined && { status }),
        ...(details && { details }),
      },
    };
  }
  override headers() {
    return this.#more.headers ?? {};
  }
}

export class OAuthError extends TwinError {
  body() {
    return { error: this.code, error_description: this.message };
  }
}

export const refusal = (status: Status, message: string, details?: readonly Detail[]): GoogleError =>
  new GoogleError(CODES[status], status, message, details && { details });

export const errorInfo = (reason: string, metadata: Readonly<Record<string, string>> = {}): Detail => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'googleapis.com',
  metadata,
});

export const badRequest = (violations: readonly Readonly<{ field: string; description: string }>[]): Detail => ({
  '@type': 'type.googleapis.com/google.rpc.BadRequest',
  fieldViolations: violations,
});

const HEADER = { location: 'Authorization', locationType: 'header' } as const;
const BAD_CREDENTIALS =
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.';

/** The usual errors, in the format of an API. */
export function makeRefusals(form: ErrorForm, project: string) {
  const make = (status: Status, message: string, reason: Reason, details?: readonly Detail[], headers?: object) =>
    new GoogleError(CODES[status], status, message, {
      ...(form === 'legacy' ? { errors: [reason] } : details && { details }),
      headers: { ...headers },
    });

  return Object.freeze({
    unauthenticated: () =>
      make('UNAUTHENTICATED', BAD_CREDENTIALS, { reason: 'authError', ...HEADER }, undefined, {
        'www-authenticate': 'Bearer realm="https://accounts.google.com/", error="invalid_token"',
      }),
    missingScope: (service: string) =>
      make(
        'PERMISSION_DENIED',
        'Request had insufficient authentication scopes.',
        { reason: 'insufficientPermissions' },
        [errorInfo('ACCESS_TOKEN_SCOPE_INSUFFICIENT', { service })],
      ),
    invalid: (message: string) =>
      make('INVALID_ARGUMENT', message, { reason: 'badRequest' }, [badRequest([{ field: '', description: message }])]),
    missing: (field: string) =>
      make(
        'INVALID_ARGUMENT',
        `Request is missing the required parameter ${field}.`,
        { reason: 'required', location: field, locationType: 'parameter' },
        [badRequest([{ field, description: 'The field is required.' }])],
      ),
    noSuchPath: () => make('NOT_FOUND', 'Method not found.', { reason: 'notFound' }),
    /** The project has used up its requests of this minute; with a limit of 0 it has no access. */
    exhausted: (service: string, { limit }: Pick<RateState, 'limit'>) =>
      form === 'legacy'
        ? new GoogleError(403, undefined, 'Rate Limit Exceeded', {
            errors: [{ domain: 'usageLimits', reason: 'rateLimitExceeded' }],
          })
        : refusal(
            'RESOURCE_EXHAUSTED',
            `Quota exceeded for quota metric 'Requests' and limit 'Requests per minute' of service '${service}' for consumer 'project_number:${project}'.`,
            [
              errorInfo('RATE_LIMIT_EXCEEDED', {
                service,
                consumer: `projects/${project}`,
                quota_metric: `${service}/default_requests`,
                quota_limit: 'DefaultRequestsPerMinutePerProject',
                quota_limit_value: String(limit),
                quota_location: 'global',
                quota_unit: '1/min/{project}',
              }),
            ],
          ),
    trouble: () => make('INTERNAL', 'Internal error encountered.', { reason: 'backendError' }),
  });
}

export const notFound = (): GoogleError => refusal('NOT_FOUND', 'Requested entity was not found.');

export const forbidden = (): GoogleError => refusal('PERMISSION_DENIED', 'The caller does not have permission');

export const badField = (field: string, description: string): GoogleError =>
  refusal('INVALID_ARGUMENT', 'Request contains an invalid argument.', [badRequest([{ field, description }])]);
