import type { Readable } from 'node:stream';
import type * as z from 'zod';
import type { PlatformError } from './errors.ts';
import type { Cost } from './app/quotas.ts';

/** Base URLs without a trailing slash, by names that the connector chooses. */
export type Hosts = Readonly<Record<string, string>>;

/** What a connector needs to act for an account; stored encrypted, opaque to other modules. */
export type Session = Readonly<Record<string, unknown>>;

/** Default deadline of a request; the leases on a piece of work are longer. */
export const REQUEST_MS = 30_000;

/** A request body that is read while it is sent; `open` returns a stream of exactly `length` bytes. */
export type StreamedBody = Readonly<{ length: number; open(): Readable }>;

export type PlatformRequest = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array | StreamedBody;
  /** The host comes from a user or a fetched document, so the address guard checks it. */
  given?: boolean;
  /** The path with placeholders for ids, as the log shows it. */
  template: string;
  maxBytes?: number;
  /** For a response above `maxBytes`: `refuse` (default) fails the call, `truncate` keeps the beginning. */
  overflow?: 'refuse' | 'truncate';
  deadlineMs?: number;
  redirects?: 0 | 1 | 2 | 3;
  /** The quota units that the request costs; if too few are left, it is not sent and QuotaSpent is thrown. */
  cost?: Cost | readonly Cost[];
}>;

export type PlatformAnswer = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}>;

/** How a response was read: its body, its error, and the schema that a success must match. */
export type Reading = Readonly<{ body: unknown; error?: PlatformError | undefined; schema?: z.ZodType | undefined }>;

/** What every connector call provides: hosts, settings, the time and the HTTP client. */
export type UnauthenticatedCall = Readonly<{
  hosts: Hosts;
  /** The values of the platform's settings by name; settings without a value are absent. */
  settings: Readonly<Record<string, string>>;
  now(): number;
  http(request: PlatformRequest): Promise<PlatformAnswer>;
  /** Called with each response and how it was read, to compare the platform with expectations. */
  observe?(answer: PlatformAnswer, reading: Reading): void;
}>;

/** JSON state of work that takes several requests, for a retry; dropped when the work is done. */
export type Keeping = Readonly<{
  /** The state that an earlier try stored last; undefined if there is none. */
  kept: unknown;
  /** Stores a new state; await it before the next request is sent. */
  keep(value: unknown): Promise<void>;
}>;

export type AccountCall = UnauthenticatedCall & Readonly<{ session: Session }>;
