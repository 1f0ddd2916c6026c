import { TwinError } from '../kit/api/errors.ts';

type Parameters = Readonly<{ retry_after?: number; migrate_to_chat_id?: number }>;

/** An error of the Bot API. Its code is the HTTP status, and its description begins with the status text. */
export class TelegramError extends TwinError {
  readonly #parameters: Parameters | undefined;

  constructor(status: number, description: string, parameters?: Parameters) {
    super(status, String(status), description);
    this.#parameters = parameters;
  }

  body(): unknown {
    const parameters = this.#parameters;
    return { ok: false, error_code: this.status, description: this.message, ...(parameters && { parameters }) };
  }
}

export const badRequest = (what: string, parameters?: Parameters) =>
  new TelegramError(400, `Bad Request: ${what}`, parameters);
export const forbidden = (what: string) => new TelegramError(403, `Forbidden: ${what}`);
export const conflict = (what: string) => new TelegramError(409, `Conflict: ${what}`);
export const unauthorized = () => new TelegramError(401, 'Unauthorized');
export const notFound = () => new TelegramError(404, 'Not Found');
export const tooMany = (seconds: number) =>
  new TelegramError(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
