import type { OrderedError } from '../kit/api/front.ts';
import { TwinError } from '../kit/api/errors.ts';
import { digits } from '../kit/ids.ts';

/** The request id, which support would ask for. */
export const requestId = (): string => `2026${digits(20)}`;

export class DeveloperError extends TwinError {
  body(): unknown {
    return { data: {}, error: { code: this.code, message: this.message, log_id: requestId() } };
  }
}

/** An error of the token endpoints, which have their own format. */
export class LoginError extends TwinError {
  constructor(code: string, message: string) {
    super(code === 'invalid_client' ? 401 : 400, code, message);
  }
  body(): unknown {
    return { error: this.code, error_description: this.message, log_id: requestId() };
  }
}

/** An error of the API for Business, with HTTP status 200 and a number in the body. */
export class BusinessError extends TwinError {
  readonly number: number;

  constructor(number: number, message: string, status = 200) {
    super(status, String(number), message);
    this.number = number;
  }
  body(): unknown {
    return { code: this.number, message: this.message, request_id: requestId(), data: {} };
  }
}

/** The common errors as each product words them. */
export const WORDS = Object.freeze({
  developers: {
    invalid: (what: string) => new DeveloperError(400, 'invalid_params', what),
    badToken: () => new DeveloperError(401, 'access_token_invalid', 'The access token is invalid or not found'),
    expired: () => new DeveloperError(401, 'access_token_invalid', 'The access token is invalid or not found'),
    noScope: () => new DeveloperError(401, 'scope_not_authorized', 'The user did not authorize the scope required'),
    tooMany: () => new DeveloperError(429, 'rate_limit_exceeded', 'The API rate limit was exceeded'),
    noSuchPath: () => new DeveloperError(404, 'not_found', 'Unsupported path'),
    ordered: ({ status, code, message }: OrderedError) => new DeveloperError(status, code, message),
    trouble: () => new DeveloperError(500, 'internal_error', 'Something is wrong on our side'),
    refused: (code: string, status = 403) => new DeveloperError(status, code, code.replaceAll('_', ' ')),
  },
  business: {
    invalid: (what: string) => new BusinessError(40_002, what),
    badToken: () => new BusinessError(40_105, 'Access token is incorrect or has been revoked'),
    expired: () => new BusinessError(40_102, 'Access token has expired'),
    noScope: () => new BusinessError(40_001, 'No permission to operate'),
    tooMany: () => new BusinessError(40_100, 'Requests made too frequently'),
    noSuchPath: () => new BusinessError(40_016, 'The path does not exist', 404),
    ordered: ({ status, code, message }: OrderedError) => new BusinessError(Number(code), message, status),
    trouble: () => new BusinessError(50_000, 'System error'),
    refused: (code: string) =>
      new BusinessError(code.startsWith('spam_risk') ? 40_004 : 40_002, code.replaceAll('_', ' ')),
  },
});

export const noSuchThing = (what: string) => new BusinessError(40_007, `The ${what} does not exist`);
export const blocked = (why: string) => new BusinessError(40_064, `The message was blocked: ${why}`);
