import { connect as connectTcp, isIP, isIPv4, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { buildConnector, Dispatcher } from 'undici';
// Its index also loads fetch, WebSocket and mocks, which take about 5 MB.
import Agent from 'undici/lib/dispatcher/agent.js';
import Client from 'undici/lib/dispatcher/client.js';
import { boundedMap } from '../limits/bounded-map.ts';
import { OutboundError, stoppedBy } from './outbound.ts';
import type { Origin, Resolve } from './resolve.ts';

export type Permits = (address: string, port: number) => boolean;

/** TLS sessions by server, for sockets that trust the same certificate authorities. */
type Sessions = ReturnType<typeof makeSessions>;

type Dial = Readonly<{
  resolve: Resolve;
  /** Whether the host names come from users (`given`) or from this server (`own`). */
  origin: Origin;
  /** Decides whether an address may be dialled; checked again with the address of the resulting socket. */
  permits: Permits;
  secureContext?: SecureContext;
  sessions: Sessions;
  closing: AbortSignal;
}>;

/** If the first address hangs, time is left for the second; the request's deadline may end both sooner. */
const FIRST_OF_TWO_MS = 3_000;
const DIAL_MS = 10_000;

/** undici's timers are off, as they only measure idle time; the deadline is one signal for everything. */
const LIMITS = Object.freeze({
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: 32_768,
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 30_000,
  pipelining: 1,
  allowH2: false,
});

/** A pool of kept connections per origin; connections are opened only to addresses that `permits` allows. */
export function makePool(dial: Dial): Dispatcher {
  return new Agent({ ...LIMITS, connect: makeConnector(dial) });
}

const KEPT_SESSIONS = 500;

/** Keeps the latest TLS session of each server, because resuming it makes the next handshake shorter. */
export const makeSessions = () => boundedMap<string, Buffer>(KEPT_SESSIONS);

/** A dispatcher with a new connection for a single request. */
export function makeSingle(dial: Dial, origin: string): Dispatcher {
  return new Client(origin, { ...LIMITS, connect: makeConnector(dial) });
}

/** A dispatcher that tunnels through a proxy, which then resolves names and applies its own guard. */
export async function makeProxied(proxy: string, secureContext?: SecureContext): Promise<Dispatcher> {
  const { ProxyAgent } = await import('undici');
  const requestTls = { allowH2: false, ...(secureContext && { secureContext }) };
  return new ProxyAgent({ ...LIMITS, uri: proxy, proxyTunnel: true, connectTimeout: DIAL_MS, requestTls });
}

const trusts = new Map<string, SecureContext>();

/** Trusts the usual certificate authorities and one more; cached, as parsing takes tens of milliseconds. */
export function trustAlso(pem: string): SecureContext {
  const known = trusts.get(pem) ?? createSecureContext({ ca: [...getCACertificates('default'), pem] });
  trusts.set(pem, known);
  return known;
}

/** Dials the address that was checked, so that undici resolves no names: docs/contract/security.md#given-addresses */
function makeConnector(dial: Dial): buildConnector.connector {
  return function connect(target, done) {
    open(dial, target).then(
      (socket) => done(null, socket),
      (error: Error) => done(error, null),
    );
  };
}

async function open(dial: Dial, target: buildConnector.Options): Promise<Socket> {
  const { hostname, protocol } = target;
  const secure = protocol === 'https:';
  const port = Number(target.port) || (secure ? 443 : 80);
  const found = await dial.resolve(hostname, dial.origin, dial.closing);
  if (!found.every((address) => dial.permits(address, port))) throw new OutboundError('refused_address', hostname);

  const [first, second] = twoOf(found);
  if (first === undefined) throw new OutboundError('dns', hostname);
  if (second === undefined) return openOne(dial, { hostname, address: first, port, secure, ms: DIAL_MS });
  try {
    return await openOne(dial, { hostname, address: first, port, secure, ms: FIRST_OF_TWO_MS });
  } catch (failure) {
    if (dial.closing.aborted) throw failure;
    return openOne(dial, { hostname, address: second, port, secure, ms: DIAL_MS - FIRST_OF_TWO_MS });
  }
}

/** One address per family; IPv4 comes first because small servers certainly have it. */
function twoOf(addresses: readonly string[]): readonly string[] {
  const four = addresses.filter((address) => isIPv4(address));
  const six = addresses.filter((address) => !isIPv4(address));
  return four.length > 0 && six.length > 0 ? [...four.slice(0, 1), ...six.slice(0, 1)] : addresses.slice(0, 2);
}

type One = Readonly<{ hostname: string; address: string; port: number; secure: boolean; ms: number }>;

function openOne(dial: Dial, { hostname, address, port, secure, ms }: One): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const servername = isIP(hostname) ? '' : hostname.replace(/\.$/, '');
    const { secureContext, sessions } = dial;
    const server = `${hostname}:${port}`;
    const session = secure ? sessions.get(server) : undefined;
    const socket = secure
      ? connectTls({
          host: address,
          port,
          servername,
          ALPNProtocols: ['http/1.1'],
          ...(secureContext && { secureContext }),
          ...(session && { session }),
        }).on('session', (latest) => sessions.set(server, latest))
      : connectTcp({ host: address, port });
    let reached = false;
    let opened = false;

    const timer = setTimeout(() => giveUp(new Error('no connection in time')), ms);
    const stop = () => giveUp(stoppedBy(dial.closing, hostname));
    function settle() {
      clearTimeout(timer);
      dial.closing.removeEventListener('abort', stop);
    }
    function giveUp(cause: Error) {
      settle();
      socket.destroy();
      if (!opened) sessions.delete(server);
      // undici's own socket error codes are avoided, because undici would then dial again without end.
      reject(
        cause instanceof OutboundError ? cause : new OutboundError(reached ? 'tls' : 'connect', hostname, { cause }),
      );
    }

    dial.closing.addEventListener('abort', stop, { once: true });
    socket.setNoDelay(true).setKeepAlive(true, 60_000);
    socket.on('error', giveUp);
    socket.once('connect', () => {
      reached = true;
      if (!dial.permits(socket.remoteAddress ?? '', port)) giveUp(new OutboundError('refused_address', hostname));
    });
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      if (socket.destroyed) return;
      opened = true;
      settle();
      resolve(socket);
    });
    if (dial.closing.aborted) stop();
  });
}
