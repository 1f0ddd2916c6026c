import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopback } from '../../kernel/config.ts';
import type { ApiError } from '../../kernel/errors.ts';
import { refusalHeaders } from '../refusal-headers.ts';
import type { Document } from './card.ts';
import type { Headers } from './channel.ts';

export const CORS: Headers = Object.freeze({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'WWW-Authenticate, Retry-After, X-Request-Id',
});

/** The answer to a browser that asks before it sends. */
export const PREFLIGHT: Headers = Object.freeze({
  ...CORS,
  'Access-Control-Allow-Methods': 'POST, GET, OPTIONS',
  'Access-Control-Allow-Headers': 'Authorization, *',
  'Access-Control-Max-Age': '86400',
});

/**
 * Bearer tokens are the only way in, so a page of any origin may call a public server with one it was given.
 * A server on a loopback name is called by pages of loopback names alone: any other page is a stranger who
 * found it behind the browser (MCP transports § security).
 */
export function isAllowedOrigin(origin: string | undefined, rootUrl: string): boolean {
  if (origin === undefined || origin === rootUrl || !isLoopback(rootUrl)) return true;
  return isLoopback(origin);
}

/** Headers an error carries besides its envelope. */
export function headersOf(error: ApiError, rootUrl: string): Headers {
  if (error.status === 405) return { Allow: 'POST' };
  return refusalHeaders(error, rootUrl, '/mcp');
}

/** Sends a public document, or 304 to whoever has it. */
export function endDocument(req: IncomingMessage, res: ServerResponse, { type, text, etag }: Document): void {
  const headers = { ...CORS, 'Cache-Control': 'public, max-age=3600', ETag: etag };
  const known = req.headers['if-none-match']?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  if (known) {
    res.writeHead(304, headers).end();
    return;
  }
  res.writeHead(200, { ...headers, 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
  res.end(req.method === 'HEAD' ? undefined : text);
}
