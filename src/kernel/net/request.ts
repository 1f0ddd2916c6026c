import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { systemClock } from '../clock.ts';
import { isGivenHostRefused, makeGuard, type AllowPrivate } from './addresses.ts';
import { exchange, type HopAnswer } from './exchange.ts';
import { OutboundError, stoppedBy, type OutboundAnswer, type OutboundLine, type OutboundRequest } from './outbound.ts';
import { makePools } from './pools.ts';
import { makeResolve, originOf, type Query } from './resolve.ts';
import { headersFor, parseTarget, redirected, withoutUser, type Target } from './target.ts';
import { makeZones, type NetworkZone } from './zones.ts';

export { json, OutboundError } from './outbound.ts';
export type { OutboundAnswer, OutboundFailure, OutboundLine, OutboundRequest } from './outbound.ts';

/** The client for all HTTP requests of the server. */
export type Outbound = Readonly<{
  /** Returns the response with any status; throws only OutboundError. */
  send(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Whether a URL can be refused without DNS, because its host is a refused address or a loopback name. */
  refusesHost(url: URL): boolean;
  close(): Promise<void>;
}>;

export type OutboundOptions = Readonly<{
  allowPrivate: AllowPrivate;
  ownPort: () => number | undefined;
  /** Origins of platforms and simulators, which the guard lets pass unless the address came from outside. */
  trustedOrigins: () => readonly string[];
  userAgent: string;
  ca?: string;
  proxy?: string;
  log?: (line: OutboundLine) => void;
  /** Throws while the server must have no outside effects; requests that only read are still allowed. */
  refuse?: () => void;
  /** Replaces the name servers in tests. */
  query?: Query;
}>;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const LONGEST_MS = 2 ** 31 - 1;

/** Makes the outbound client, with the guard of docs/contract/security.md#given-addresses. */
export function makeOutbound(options: OutboundOptions): Outbound {
  const { trustedOrigins, userAgent, log } = options;
  const guard = makeGuard(options.allowPrivate, options.ownPort);
  const resolve = makeResolve(options.query ? { query: options.query } : {});
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const zones = makeZones({ guard, resolve, hasProxy: options.proxy !== undefined });
  const pools = makePools({
    permits: zones.permits,
    resolve,
    closing: closing.signal,
    ca: options.ca,
    proxy: options.proxy,
  });

  async function sendOne(
    request: OutboundRequest,
    hop: Target,
    signal: AbortSignal,
    until: number,
  ): Promise<[HopAnswer, NetworkZone]> {
    const zone = await zones.of(hop, originOf(request), signal);
    if (signal.aborted) throw stoppedBy(signal, hop.url.host);
    const dispatcher = await pools.dispatcherFor(hop.url, zone, request);
    try {
      const answer = await exchange(dispatcher, { overflow: 'truncate', ...request, ...hop, signal, until });
      return [answer, zone];
    } finally {
      if (request.freshSocket) void dispatcher.destroy();
    }
  }

  async function follow(request: OutboundRequest, signal: AbortSignal, started: number): Promise<OutboundAnswer> {
    const first = parseTarget(request.url);
    const allowed = request.method === 'GET' || request.method === 'HEAD' ? (request.redirects ?? 0) : 0;
    const isTrusted = (url: URL) =>
      !request.given && url.origin === first.origin && trustedOrigins().includes(url.origin);
    const headers = headersFor(request, first, userAgent);
    const until = systemClock.now() + request.deadlineMs;
    let hop: Target = { url: withoutUser(first), trusted: isTrusted(first), headers };
    for (let followed = 0; ; followed += 1) {
      const [answer, zone] = await sendOne(request, hop, signal, until).catch((error: unknown) => {
        // Only a later hop failed, so the first request was sent.
        throw followed > 0 && error instanceof OutboundError
          ? new OutboundError(error.kind, error.host, { because: error.because, sent: true, cause: error.cause })
          : error;
      });
      const location = allowed > 0 && REDIRECTS.has(answer.status) ? answer.headers['location'] : undefined;
      if (location === undefined) {
        const durationMs = Math.round(performance.now() - started);
        return Object.freeze({ ...answer, url: hop.url.href, durationMs, fromPrivate: zone === 'private' });
      }
      if (followed === allowed) {
        throw new OutboundError('protocol', hop.url.host, { sent: true, because: 'it redirects too often' });
      }
      hop = redirected(hop, location, isTrusted);
    }
  }

  async function send(request: OutboundRequest): Promise<OutboundAnswer> {
    const { body, signal } = request;
    const started = performance.now();
    const ending = new AbortController();
    // A busy process runs its timers before it reads its sockets, so data that arrived in time is read first.
    const late = () => setImmediate(() => ending.abort('timeout'));
    const timer = setTimeout(late, Math.min(request.deadlineMs, LONGEST_MS));
    const stop = () => ending.abort('aborted');
    if (signal?.aborted || closing.signal.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    closing.signal.addEventListener('abort', stop, { once: true });
    // The source may fail before undici uses it; without a listener, that would end the process.
    if (body instanceof Readable) body.on('error', () => {});

    let outcome: Partial<OutboundAnswer & Pick<OutboundError, 'kind' | 'sent'>> = {};
    try {
      if (!isHarmless(request)) options.refuse?.();
      const answer = await follow(request, ending.signal, started);
      outcome = answer;
      return answer;
    } catch (error) {
      if (error instanceof OutboundError) outcome = error;
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      closing.signal.removeEventListener('abort', stop);
      if (body instanceof Readable) body.destroy();
      log?.(lineOf(request, outcome, performance.now() - started));
    }
  }

  return Object.freeze({
    send,
    refusesHost: (url: URL) => isGivenHostRefused(url, guard),
    async close() {
      closing.abort('aborted');
      await pools.close();
    },
  });
}

const READING: ReadonlySet<OutboundRequest['purpose']> = new Set(['media', 'metadata', 'page', 'storage']);

/** Whether a request only reads, and does not concern an account. */
function isHarmless({ method, purpose }: OutboundRequest): boolean {
  return READING.has(purpose) && (method === 'GET' || method === 'HEAD');
}

function lineOf(
  request: OutboundRequest,
  outcome: Partial<OutboundAnswer & Pick<OutboundError, 'kind' | 'sent'>>,
  ms: number,
): OutboundLine {
  return {
    purpose: request.purpose,
    method: request.method,
    host: URL.parse(String(request.url))?.host ?? '',
    path: request.pathTemplate,
    status: outcome.status,
    failure: outcome.kind,
    sent: outcome.sent ?? true,
    bytes: outcome.bytes ?? 0,
    duration_ms: Math.round(ms),
  };
}
