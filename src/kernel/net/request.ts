import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import {
  isCallable,
  isGivenHostRefused,
  isPrivateAddress,
  makeGuard,
  addressesOfHost,
  portOf,
  type AllowPrivate,
} from './addresses.ts';
import { makePool, makeProxied, makeSessions, makeSingle, trustAlso, type Permits } from './dial.ts';
import { exchange, type HopAnswer } from './exchange.ts';
import { OutboundError, stoppedBy, type OutboundAnswer, type OutboundLine, type OutboundRequest } from './outbound.ts';
import { makeResolve, type Origin, type Query } from './resolve.ts';

export { json, OutboundError } from './outbound.ts';
export type { OutboundAnswer, OutboundFailure, OutboundLine, OutboundRequest } from './outbound.ts';

/** The one way out: every HTTP call of the server goes through it. */
export type Outbound = Readonly<{
  /** Sends a request and reads the whole answer; whatever the status. Fails with an OutboundError alone. */
  send(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Whether a given URL can be refused at once: its host is a closed literal address or a loopback name. */
  refusesHost(url: URL): boolean;
  /** Ends everything in flight. */
  close(): Promise<void>;
}>;

export type OutboundOptions = Readonly<{
  allowPrivate: AllowPrivate;
  ownPort: () => number | undefined;
  /** Origins of platforms and sandbox twins: not guarded, unless the address is a given one. */
  trustedOrigins: () => readonly string[];
  userAgent: string;
  /** PEM of one more certificate authority, trusted for webhook receivers only. */
  ca?: string;
  proxy?: string;
  log?: (line: OutboundLine) => void;
  /** For tests: answers instead of the name servers. */
  query?: Query;
}>;

/** Which sockets a request may use; a kept one never serves a request that could not have opened it. */
type NetworkZone = 'trusted' | 'public' | 'private';

/** What another origin may learn after a redirect; everything else may be a credential. */
const HARMLESS = new Set(['accept', 'accept-encoding', 'accept-language', 'range', 'user-agent']);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const LONGEST_MS = 2 ** 31 - 1;

/** One pool per zone, origin and trust. */
function makeDispatchers(
  options: OutboundOptions,
  guard: ReturnType<typeof makeGuard>,
  resolve: ReturnType<typeof makeResolve>,
  closing: AbortController,
  pools: Map<string, Dispatcher>,
) {
  const { proxy } = options;

  const extraTrust = options.ca === undefined ? undefined : trustAlso(options.ca);

  // A session stands for the check of a certificate, so those of either trust stay apart.
  const sessions = { own: makeSessions(), webhook: makeSessions() };

  const permits: Readonly<Record<NetworkZone, Permits>> = {
    trusted: () => true,
    public: (address, port) => !guard.refuses(address, port) && !isPrivateAddress(address),
    private: (address, port) => !guard.refuses(address, port),
  };

  function dispatcherFor(url: URL, zone: NetworkZone, request: OutboundRequest): Dispatcher {
    const { purpose, freshSocket = false } = request;
    const origin = originOf(request);
    const secureContext = purpose === 'webhook' ? extraTrust : undefined;
    const common = {
      resolve,
      origin,
      permits: permits[zone],
      closing: closing.signal,
      sessions: secureContext ? sessions.webhook : sessions.own,
    };
    const dial = { ...common, ...(secureContext && { secureContext }) };
    const direct = proxy === undefined || addressesOfHost(url.hostname)?.some(isPrivateAddress);
    const make = () => (direct ? makePool(dial) : makeProxied(proxy, secureContext));
    if (freshSocket) return direct ? makeSingle(dial, url.origin) : make();
    const key = `${zone} ${origin} ${secureContext ? 'webhook' : ''} ${direct ? '' : 'proxy'}`;
    const pool = pools.get(key) ?? make();
    pools.set(key, pool);
    return pool;
  }

  return dispatcherFor;
}

/** Which zone of the network an address lies in. */
function makeZones(
  options: OutboundOptions,
  resolve: ReturnType<typeof makeResolve>,
  guard: ReturnType<typeof makeGuard>,
) {
  const { proxy } = options;

  async function zoneOf({ url, trusted }: Target, origin: Origin, signal: AbortSignal): Promise<NetworkZone> {
    if (trusted) return 'trusted';
    const addresses = proxy ? (addressesOfHost(url.hostname) ?? []) : await resolve(url.hostname, origin, signal);
    if (addresses.some((address) => guard.refuses(address, portOf(url)))) {
      throw new OutboundError('refused_address', url.host);
    }
    return addresses.some(isPrivateAddress) ? 'private' : 'public';
  }

  return zoneOf;
}

/** The outbound client, with the guard of docs/contract/security.md#given-addresses. */
export function makeOutbound(options: OutboundOptions): Outbound {
  const { trustedOrigins, userAgent, log } = options;
  const guard = makeGuard(options.allowPrivate, options.ownPort);
  const resolve = makeResolve(options.query ? { query: options.query } : {});
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const pools = new Map<string, Dispatcher>();

  const dispatcherFor = makeDispatchers(options, guard, resolve, closing, pools);

  const zoneOf = makeZones(options, resolve, guard);

  async function sendOne(
    request: OutboundRequest,
    hop: Target,
    signal: AbortSignal,
  ): Promise<[HopAnswer, NetworkZone]> {
    const zone = await zoneOf(hop, originOf(request), signal);
    if (signal.aborted) throw stoppedBy(signal, hop.url.host);
    const dispatcher = dispatcherFor(hop.url, zone, request);
    try {
      const answer = await exchange(dispatcher, { overflow: 'truncate', ...request, ...hop, signal });
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
    let hop: Target = { url: withoutUser(first), trusted: isTrusted(first), headers };
    for (let followed = 0; ; followed += 1) {
      const [answer, zone] = await sendOne(request, hop, signal).catch((error: unknown) => {
        // A later hop failed: the first request was sent all the same.
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
    // A busy process looks at its timers before its sockets: what has come in time is read first.
    const late = () => setImmediate(() => ending.abort('timeout'));
    const timer = setTimeout(late, Math.min(request.deadlineMs, LONGEST_MS));
    const stop = () => ending.abort('aborted');
    if (signal?.aborted || closing.signal.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    closing.signal.addEventListener('abort', stop, { once: true });
    // A source may fail before undici looks at it; unheard, that would end the process.
    if (body instanceof Readable) body.on('error', () => {});

    let outcome: Partial<OutboundAnswer & Pick<OutboundError, 'kind' | 'sent'>> = {};
    try {
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
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  });
}

type Target = Readonly<{ url: URL; trusted: boolean; headers: Readonly<Record<string, string>> }>;

function originOf({ given }: OutboundRequest): Origin {
  return given ? 'given' : 'own';
}

function parseTarget(address: string | URL, base?: URL): URL {
  const url = URL.parse(String(address), base?.href);
  if (url === null) throw new OutboundError('bad_url', base?.host ?? '', { sent: !!base });
  if (!isCallable(url)) throw new OutboundError('bad_url', url.host, { sent: !!base });
  return url;
}

function redirected(from: Target, location: string, isTrusted: (url: URL) => boolean): Target {
  const url = withoutUser(parseTarget(location, from.url));
  const kept = Object.entries(from.headers).filter(([name]) => url.origin === from.url.origin || HARMLESS.has(name));
  return { url, trusted: isTrusted(url), headers: Object.fromEntries(kept) };
}

function headersFor(request: OutboundRequest, url: URL, userAgent: string): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { 'user-agent': userAgent, ...basicOf(url) };
  for (const [name, value] of Object.entries(request.headers ?? {})) headers[name.toLowerCase()] = value;
  return headers;
}

function withoutUser(url: URL): URL {
  if (url.username === '' && url.password === '') return url;
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  return plain;
}

/** User and password of a URL are sent the way other clients send them. */
function basicOf(url: URL): Readonly<Record<string, string>> {
  if (url.username === '' && url.password === '') return {};
  const pair = Buffer.from(`${unescaped(url.username)}:${unescaped(url.password)}`).toString('base64');
  return { authorization: 'Basic ' + pair };
}

function unescaped(text: string): string {
  return text.replace(/(%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
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
