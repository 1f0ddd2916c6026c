import { TwinError } from '../kit/api/errors.ts';

/** An error, with HTTP status 200 and a number in the body. */
export class ZaloError extends TwinError {
  readonly number: number;

  constructor(number: number, message: string, status = 200) {
    super(status, String(number), message);
    this.number = number;
  }

  body(): unknown {
    return { error: this.number, message: this.message };
  }
}

/** An error of the login, which has its own format; with `isNamed`, it has a name and no number. */
export class LoginError extends ZaloError {
  readonly #isNamed: boolean;

  constructor(number: number, message: string, isNamed: boolean) {
    super(number, message);
    this.#isNamed = isNamed;
  }

  override body(): unknown {
    const words = { error_name: this.message, error_description: `${this.message}.`, error_reason: this.message };
    return { ...words, ref_doc: '', ...(!this.#isNamed && { error: this.number }) };
  }
}

export const invalid = (what: string) => new ZaloError(-201, what);
export const overLimit = (what: string) => new ZaloError(-210, what);
export const unsupported = (what: string) => new ZaloError(-233, what);
export const badToken = () => new ZaloError(-216, 'Access token is invalid');
export const deadToken = () => new ZaloError(-220, 'Access token has expired or been removed');
export const tooMany = () => new ZaloError(-32, 'The number of requests exceeds the limit');
export const outOfQuota = (what: string) => new ZaloError(-211, `Out of quota: ${what}`);
export const trouble = () => new ZaloError(-1, 'System error', 500);
