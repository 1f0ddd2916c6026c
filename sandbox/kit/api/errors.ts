/** A network's refusal in its own form, thrown and then answered; its status may be 200. */
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

  /** The message for people in the console. */
  viewOf(): string {
    return this.message;
  }
}
