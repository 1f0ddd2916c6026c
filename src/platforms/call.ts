/** Where a connector talks to: base URLs without a trailing slash, by the connector's own names. */
export type Hosts = Readonly<Record<string, string>>;

/** What a connector needs to act for an account; stored sealed, opaque to everyone else. */
export type Session = Readonly<Record<string, unknown>>;

/** How long a request may take that does not say it itself; leases on what it is made for outlive it. */
export const REQUEST_MS = 30_000;

export type PlatformRequest = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** A user named this address (or a document we were led to did): the address guard looks at it. */
  given?: boolean;
  /** Path without ids, for the log. */
  template: string;
  maxBytes?: number;
  /** What a longer body means: `refuse` (else) fails the call, `truncate` keeps its beginning. */
  overflow?: 'refuse' | 'truncate';
  deadlineMs?: number;
  redirects?: 0 | 1 | 2 | 3;
}>;

export type PlatformAnswer = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}>;

/** What every connector call gets besides its arguments: addresses, time and the one HTTP client. */
export type UnauthenticatedCall = Readonly<{
  hosts: Hosts;
  now(): number;
  http(request: PlatformRequest): Promise<PlatformAnswer>;
}>;

/** A call for a connected account. */
export type AccountCall = UnauthenticatedCall & Readonly<{ session: Session }>;
