import { TwinError } from '../kit/api/errors.ts';
import type { RateState } from '../kit/api/rates.ts';
import { seconds } from '../kit/ids.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An error in the format that the client parses. */
class ZernioError extends TwinError {
  readonly body: () => Fields;
  override readonly headers: () => Readonly<Record<string, string>>;

  constructor(status: number, type: string, code: string, error: string, more: Fields = {}, headers = {}) {
    super(status, code, error);
    this.body = () => ({ error, type, code, ...more });
    this.headers = () => headers;
  }
}

export const rateHeaders = ({ limit, remaining, resetAt }: Omit<RateState, 'window_s'>) => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(seconds(resetAt)),
});

export const invalid = (error: string, param?: string, code = 'invalid_field_value', details?: Fields) =>
  new ZernioError(400, 'invalid_request_error', code, error, { ...(param && { param }), ...(details && { details }) });
export const required = (param: string) => invalid(`${param} is required`, param, 'missing_required_field');
export const unauthorized = () => new ZernioError(401, 'authentication_error', 'unauthorized', 'Unauthorized');
export const forbidden = (error: string, code = 'forbidden', more: Fields = {}) =>
  new ZernioError(403, 'permission_error', code, error, more);
export const missing = (what = 'Resource') => new ZernioError(404, 'not_found', 'not_found', `${what} not found`);
export const conflict = (code: string, error: string, details: Fields) =>
  new ZernioError(409, 'invalid_request_error', code, error, { details });
export const otherRequest = () =>
  new ZernioError(
    422,
    'invalid_request_error',
    'idempotency_key_reused',
    'Idempotency-Key reused with a different request',
  );
export const tooMany = (state?: RateState) => {
  const headers = state === undefined ? {} : rateHeaders(state);
  return new ZernioError(429, 'rate_limit_error', 'rate_limited', 'Too many requests', {}, headers);
};
export const trouble = () => new ZernioError(500, 'api_error', 'internal_error', 'Internal server error');
