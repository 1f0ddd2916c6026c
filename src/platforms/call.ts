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
  /** The host comes from a user or from a document we followed, so the address guard checks it. */
  given?: boolean;
  /** Path without ids, for the log. */
  template: string;
  maxBytes?: number;
  /** What a longer body causes: `refuse` (default) fails the call, `truncate` keeps its beginning. */
  overflow?: 'refuse' | 'truncate';
  deadlineMs?: number;
  redirects?: 0 | 1 | 2 | 3;
  /** What the request uses of quotas of the platform; one that is used up throws QuotaSpent, and nothing is sent. */
  cost?: Cost | readonly Cost[];
}>;

export type PlatformAnswer = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}>;

/** How an answer was read: its body, the error that it is, and what a connector relies on in one that is none. */
export type Reading = Readonly<{ body: unknown; error?: PlatformError | undefined; schema?: z.ZodType | undefined }>;

/** What every connector call gets besides its arguments: addresses, time and the one HTTP client. */
export type UnauthenticatedCall = Readonly<{
  hosts: Hosts;
  /** The values of the platform's settings that are set, by name. */
  settings: Readonly<Record<string, string>>;
  now(): number;
  http(request: PlatformRequest): Promise<PlatformAnswer>;
  /** Gets how each answer was read, where somebody compares what a platform answers with what is expected of it. */
  observe?(answer: PlatformAnswer, reading: Reading): void;
}>;

/** What work that takes several requests keeps, as JSON, for its next try; it is gone when the work is done. */
export type Keeping = Readonly<{
  /** What an earlier try kept last; undefined if none did. */
  kept: unknown;
  /** Replaces what is kept, before anything else is sent. */
  keep(value: unknown): Promise<void>;
}>;

/** A call for a connected account. */
export type AccountCall = UnauthenticatedCall & Readonly<{ session: Session }>;
