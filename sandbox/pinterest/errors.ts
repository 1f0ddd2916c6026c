import { TwinError } from '../kit/api/errors.ts';
import type { RateState } from '../kit/api/rates.ts';

class PinterestError extends TwinError {
  readonly number: number;
  private readonly more: Readonly<Record<string, string>>;

  constructor(status: number, number: number, message: string, more: Readonly<Record<string, string>> = {}) {
    super(status, String(number), message);
    this.number = number;
    this.more = more;
  }
  body(): unknown {
    return { code: this.number, message: this.message };
  }
  override headers() {
    return this.more;
  }
}

export const noBoard = () => new PinterestError(404, 40, 'Board not found.');
export const noPin = () => new PinterestError(404, 50, 'Pin not found.');
export const noMedia = () => new PinterestError(404, 0, 'Media upload not found.');
export const unfit = (what: string) => new PinterestError(400, 235, what);

export const notAllowed = () => new PinterestError(403, 29, 'You are not permitted to access that resource.');
export const onTrial = () =>
  new PinterestError(403, 29, 'Apps with Trial access may not create Pins in production - use API Sandbox instead.');

export const WORDS = Object.freeze({
  invalid: (what: string) => new PinterestError(400, 1, what),
  noSuchPath: () => new PinterestError(404, 0, 'API method not found.'),
  badToken: () => new PinterestError(401, 2, 'Authentication failed.'),
  noScope: () => new PinterestError(401, 3, 'Your token does not have sufficient permissions: check its scopes.'),
  trouble: () => new PinterestError(500, 3, 'Something went wrong on our end.'),
  tooMany: (waits?: string) =>
    new PinterestError(
      429,
      8,
      'You have exceeded your rate limit. Try again later.',
      waits === undefined ? {} : { 'retry-after': waits },
    ),
  ordered: ({ status, code, message }: Readonly<{ status: number; code: string; message: string }>) =>
    new PinterestError(status, Number(code), message),
});

export const rateHeaders = ({ limit, remaining }: RateState, wait: number) => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(wait),
});
