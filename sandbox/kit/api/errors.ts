/** A refusal of a network in its own form; what is thrown becomes the answer. A refusal may well have status 200. */
export abstract class TwinError extends Error {
  readonly status: number;
  /** How the journal names it. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** The JSON body of the answer. */
  abstract body(): unknown;

  headers(): Readonly<Record<string, string>> {
    return {};
  }

  /** How a person who plays in the console reads it. */
  viewOf(): string {
    return this.message;
  }
}
