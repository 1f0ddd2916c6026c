import type { IncomingHttpHeaders } from 'node:http';
import type { Charge } from '../kit/api/rates.ts';
import { TwinError } from '../kit/api/errors.ts';
import type { Check } from '../kit/api/checks.ts';

export class XrpcError extends TwinError {
  body(): object {
    return { error: this.code, message: this.message };
  }

  override viewOf(): string {
    return `${this.code}: ${this.message}`;
  }
}

/** Status 400, which the protocol uses for nearly everything, even expired tokens. */
export function invalid(message: string, error = 'InvalidRequest'): XrpcError {
  return new XrpcError(400, error, message);
}

/** Status 401, by default for credentials that are missing or belong to somebody else. */
export function unauthorised(message = 'Authentication Required', error = 'AuthenticationRequired'): XrpcError {
  return new XrpcError(401, error, message);
}

export type Session = Readonly<{ did: string; scope: string; privileged: boolean; jti?: string | undefined }>;

export type Call<Input> = Readonly<{
  params: URLSearchParams;
  headers: IncomingHttpHeaders;
  input: Input;
  session: Session;
}>;

export type Answer = Readonly<{ json?: unknown; bytes?: Buffer; headers?: Readonly<Record<string, string>> }>;

export type Method = Readonly<{
  verb: 'GET' | 'POST';
  auth: 'none' | 'access' | 'refresh';
  body: 'none' | 'json' | 'blob';
  check?: Check | undefined;
  charges(call: Call<never>): readonly Charge[];
  /** Finds the person that a call without a token concerns, for faults and the journal. */
  about?(call: Call<never>): string | undefined;
  note?(call: Call<never>): string;
  run(call: Call<never>): Answer | Promise<Answer>;
}>;

type Rest<Input> = {
  auth?: Method['auth'];
  charges?(call: Call<Input>): readonly Charge[];
  about?(call: Call<Input>): string | undefined;
  note?(call: Call<Input>): string;
  run(call: Call<Input>): Answer | Promise<Answer>;
};

const none = () => [];

export function query(method: Rest<undefined>): Method {
  return Object.freeze({ verb: 'GET', auth: 'none', body: 'none', charges: none, ...method });
}

/** A method that writes: a POST with a checked JSON body, raw bytes or no body. */
export function procedure<Input>(method: Rest<Input> & { body?: Method['body']; check?: Check }): Method {
  return Object.freeze({ verb: 'POST', auth: 'access', body: 'json', charges: none, ...method });
}

export function required(params: URLSearchParams, name: string): string {
  const value = params.get(name);
  if (!value) throw invalid(`Missing required key "${name}" at $`);
  return value;
}

/** An integer between `min` and `max`, or the default if it is missing. */
export function whole(params: URLSearchParams, name: string, bounds: { min: number; max: number; or: number }): number {
  const text = params.get(name);
  if (text === null) return bounds.or;
  if (!/^-?\d{1,9}$/.test(text))
    throw invalid(`Expected integer value type (got ${JSON.stringify(text.slice(0, 64))}) at $.${name}`);
  const value = Number(text);
  if (value > bounds.max) throw invalid(`integer too big (maximum ${bounds.max}, got ${value}) at $.${name}`);
  if (value < bounds.min) throw invalid(`integer too small (minimum ${bounds.min}, got ${value}) at $.${name}`);
  return value;
}
