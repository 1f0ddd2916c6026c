/** A network's error in the network's own format. Throwing it sends it as the response; some have status 200. */
export abstract class TwinError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  abstract body(): unknown;

  headers(): Readonly<Record<string, string>> {
    return {};
  }

  /** The message that the console shows. */
  viewOf(): string {
    return this.message;
  }
}
