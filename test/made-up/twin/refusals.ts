import { TwinError } from '#sandbox/kit/api/errors.ts';

/** What the network refuses, by the names it has for that; a limit is refused with a 200. */
const STATUSES = Object.freeze({
  bad_request: 400,
  token_expired: 401,
  token_revoked: 401,
  forbidden: 403,
  blocked: 403,
  no_such_thing: 404,
  posted_already: 409,
  too_fast: 429,
  daily_limit: 200,
  broken: 500,
} as const);

export class Refusal extends TwinError {
  constructor(code: keyof typeof STATUSES, message = 'No.') {
    super(STATUSES[code], code, message);
  }

  body(): unknown {
    return { error: { code: this.code, message: this.message } };
  }
}

export const refuse = (code: keyof typeof STATUSES) => () => new Refusal(code);

/** The thing, or a refusal. */
export function known<T>(found: T | undefined): T {
  if (found === undefined) throw new Refusal('no_such_thing');
  return found;
}
