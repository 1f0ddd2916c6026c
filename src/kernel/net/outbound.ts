import type { Readable } from 'node:stream';

export type OutboundFailure =
  | 'bad_url'
  | 'refused_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'too_large'
  | 'aborted'
  | 'protocol';

export type OutboundRequest = Readonly<{
  method: string;
  url: string | URL;
  headers?: Readonly<Record<string, string>>;
  /** A stream can be read only once and is destroyed when the request ends. */
  body?: string | Uint8Array | Readable;
  /** What the request is for; only `webhook` trusts the extra certificate authority. */
  purpose: 'webhook' | 'media' | 'page' | 'platform' | 'metadata' | 'storage' | 'billing' | 'provider' | 'migration';
  /** The address came from outside, so it is checked by the guard even at a trusted origin. */
  given: boolean;
  /** The time for everything from name resolution to the last byte of the body. */
  deadlineMs: number;
  /** How many bytes of the body are kept; `overflow` decides about a longer body. */
  maxBytes: number;
  /** `truncate` keeps the beginning; `refuse` fails with `too_large` (responses other than 2xx are truncated). */
  overflow?: 'truncate' | 'refuse';
  /** The most redirects to follow, for GET and HEAD only; every one is checked. With 0 the redirect is returned. */
  redirects?: 0 | 1 | 2 | 3;
  /** Uses a new connection, because the peer may already have closed a kept one. */
  freshSocket?: boolean;
  signal?: AbortSignal;
  /** The path as the log shows it. */
  pathTemplate?: string;
  /** Makes `head`, `sink` and `overflow` treat every status like 2xx. */
  anyStatus?: true;
  head?: (answer: AnswerHead) => void;
  /** Receives the body of a 2xx response in chunks; the body in the result is then empty. */
  sink?: (chunk: Uint8Array) => void | Promise<void>;
}>;

/** The status and headers of a response; header names are in lower case. */
export type AnswerHead = Readonly<{ status: number; headers: Readonly<Record<string, string>> }>;

export type OutboundAnswer = Readonly<{
  status: number;
  /** Header names are in lower case; values of repeated headers are joined by commas. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  truncated: boolean;
  /** The size of the body in bytes, including what was passed to the sink. */
  bytes: number;
  /** The URL after redirects. */
  url: string;
  durationMs: number;
  /** Only ALLOW_PRIVATE_NETWORK allows this address, so show the status but never the body. */
  fromPrivate: boolean;
}>;

/** A log line about a request; it omits the URL, which may contain secrets. */
export type OutboundLine = Readonly<{
  purpose: OutboundRequest['purpose'];
  method: string;
  host: string;
  path: string | undefined;
  status: number | undefined;
  failure: OutboundFailure | undefined;
  sent: boolean;
  bytes: number;
  duration_ms: number;
}>;

const SENTENCES: Readonly<Record<OutboundFailure, string>> = Object.freeze({
  bad_url: 'this is not an http or https address that can be called',
  refused_address: 'the address is private or reserved and is not called',
  dns: 'the name cannot be resolved',
  connect: 'the connection could not be opened',
  tls: 'the secure connection could not be opened',
  timeout: 'no complete answer came in time',
  reset: 'the connection was lost before the answer was complete',
  too_large: 'the answer is too large',
  aborted: 'the request was stopped',
  protocol: 'the answer is not valid',
});

/** A request failed without a usable response; the message contains only the host of the URL. */
export class OutboundError extends Error {
  override name = 'OutboundError';
  readonly kind: OutboundFailure;
  /** False only if certainly no byte was sent, so that the request had no effect. */
  readonly sent: boolean;
  readonly host: string;
  readonly because: string;

  constructor(
    kind: OutboundFailure,
    host: string,
    details: { sent?: boolean; because?: string; cause?: unknown } = {},
  ) {
    const because = details.because ?? SENTENCES[kind];
    super(host ? `${host}: ${because}` : because, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.host = host;
    this.because = because;
    this.sent = details.sent ?? false;
  }
}

/** The error of an aborted signal: its reason distinguishes a deadline from a disconnected caller. */
export function stoppedBy(signal: AbortSignal, host: string, sent = false): OutboundError {
  return new OutboundError(signal.reason === 'timeout' ? 'timeout' : 'aborted', host, { sent });
}

const DEEPEST = 64;

/** The JSON of a response; throws if it is truncated, malformed or nested too deeply. */
export function json(answer: OutboundAnswer): unknown {
  const { host } = new URL(answer.url);
  if (answer.truncated) throw new OutboundError('too_large', host, { sent: true });
  if (depthOf(answer.body) > DEEPEST) throw new OutboundError('protocol', host, { sent: true });
  try {
    return JSON.parse(new TextDecoder().decode(answer.body));
  } catch (cause) {
    throw new OutboundError('protocol', host, { sent: true, cause });
  }
}

/** The nesting depth, measured before parsing: a deep value can be parsed but fails when it is serialized. */
function depthOf(bytes: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === 0x22) quoted = !quoted;
    else if (quoted) at += byte === 0x5c ? 1 : 0;
    else if (byte === 0x7b || byte === 0x5b) deepest = Math.max(deepest, (depth += 1));
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return deepest;
}
