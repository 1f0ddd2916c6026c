import type { Caller } from '#call/caller.ts';
import { fail, type ApiError } from '#kernel/errors.ts';
import { isLoopback } from '#kernel/net/addresses.ts';
import { refusalHeaders } from '../refusal-headers.ts';
import type { Headers } from './channel.ts';

export const CORS: Headers = Object.freeze({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'WWW-Authenticate, Retry-After, X-Request-Id',
});

/** The response to a browser's preflight request. */
export const PREFLIGHT: Headers = Object.freeze({
  ...CORS,
  'Access-Control-Allow-Methods': 'POST, GET, OPTIONS',
  'Access-Control-Allow-Headers': 'Authorization, *',
  'Access-Control-Max-Age': '86400',
});

/** Refuses a key that may decide on requests of assistants. */
export function refuseDeciding({ decides }: Caller): void {
  if (decides !== true) return;
  fail('auth.insufficient_scope', {
    message: 'A key that decides on requests is for programs: an assistant never decides on what it asks for.',
    next: 'Use another key here.',
  });
}

/** Any website may call a public server, because tokens are required; only local pages may call a local one. */
export function isAllowedOrigin(origin: string | undefined, rootUrl: string): boolean {
  if (origin === undefined || origin === rootUrl || !isLoopback(rootUrl)) return true;
  return isLoopback(origin);
}

export function headersOf(error: ApiError, rootUrl: string): Headers {
  if (error.status === 405) return { Allow: 'POST' };
  return refusalHeaders(error, rootUrl, '/mcp');
}

export const PUBLIC: Headers = Object.freeze({ ...CORS, 'Cache-Control': 'public, max-age=3600' });
