import { TwinError } from '../kit/api/errors.ts';

/** An error in the format that Stripe's library parses. */
class StripeError extends TwinError {
  readonly #fields: Readonly<Record<string, string>>;

  constructor(status: number, type: string, message: string, more: Readonly<Record<string, string>> = {}) {
    super(status, more['code'] ?? type, message);
    this.#fields = { type, message, ...more };
  }

  body(): unknown {
    return { error: this.#fields };
  }
}

const INVALID = 'invalid_request_error';

export const invalid = (message: string, param?: string, code?: string) =>
  new StripeError(400, INVALID, message, { ...(param && { param }), ...(code && { code }) });
export const missing = (what: string, id: string, param = 'id') =>
  new StripeError(404, INVALID, `No such ${what}: '${id}'`, { code: 'resource_missing', param });
export const unauthorized = () => new StripeError(401, INVALID, 'Invalid API Key provided.');
export const noSuchPath = (verb: string, path: string) =>
  new StripeError(404, INVALID, `Unrecognized request URL (${verb}: ${path}).`);
export const otherParameters = () =>
  new StripeError(
    400,
    'idempotency_error',
    'Keys for idempotent requests can only be used with the same parameters they were first used with.',
  );
export const tooMany = () => new StripeError(429, INVALID, 'Request rate limit exceeded.', { code: 'rate_limit' });
export const trouble = () => new StripeError(500, 'api_error', 'An unknown error occurred.');
