import type { Readable } from 'node:stream';
import type * as z from 'zod';
import type { PlatformError } from './errors.ts';
import type { Cost } from './app/quotas.ts';

/** Base URLs without a trailing slash, by names the connector chooses. */
export type Hosts = Readonly<Record<string, string>>;

/** What a connector needs to act for an account; stored encrypted, opaque to other modules. */
export type Session = Readonly<Record<string, unknown>>;

/** Default deadline of a request; leases on the work outlast it. */
export const REQUEST_MS = 30_000;

/** A request body that is read while it is sent; `open` makes a stream of exactly `length` bytes. */
export type StreamedBody = Readonly<{ length: number; open(): Readable }>;

export type PlatformRequest = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array | StreamedBody;
  /** The host comes from a user or a fetched document, so the address guard checks it. */
  given?: boolean;
  /** The path without ids, for the log. */
  template: string;
  maxBytes?: number;
  /** What a longer body causes: `refuse` (default) fails the call, `truncate` keeps its beginning. */
  overflow?: 'refuse' | 'truncate';
  deadlineMs?: number;
  redirects?: 0 | 1 | 2 | 3;
  /** The quota units it takes; if too few are left, QuotaSpent is thrown and nothing is sent. */
  cost?: Cost | readonly Cost[];
}>;

export type PlatformAnswer = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}>;

/** How an answer was read: its body, its error, and the schema that a success must match. */
export type Reading = Readonly<{ body: unknown; error?: PlatformError | undefined; schema?: z.ZodType | undefined }>;

/** What every connector call has: addresses, time and the one HTTP client. */
export type UnauthenticatedCall = Readonly<{
  hosts: Hosts;
  /** The platform's settings that are set, by name. */
  settings: Readonly<Record<string, string>>;
  now(): number;
  http(request: PlatformRequest): Promise<PlatformAnswer>;
  /** Called with each answer and how it was read, for comparing a platform with expectations. */
  observe?(answer: PlatformAnswer, reading: Reading): void;
}>;

/** State of multi-request work, as JSON, for its next try; dropped when the work is done. */
export type Keeping = Readonly<{
  /** What an earlier try kept last; undefined if none did. */
  kept: unknown;
  /** Replaces what is kept, before anything else is sent. */
  keep(value: unknown): Promise<void>;
}>;

export type AccountCall = UnauthenticatedCall & Readonly<{ session: Session }>;
