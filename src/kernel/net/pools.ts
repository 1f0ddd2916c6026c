import type { Dispatcher } from 'undici';
import { addressesOfHost, isPrivateAddress } from './addresses.ts';
import { makePool, makeProxied, makeSessions, makeSingle, trustAlso } from './dial.ts';
import type { OutboundRequest } from './outbound.ts';
import { originOf, type makeResolve } from './resolve.ts';
import type { NetworkZone, Zones } from './zones.ts';

type PoolDeps = Readonly<{
  permits: Zones['permits'];
  resolve: ReturnType<typeof makeResolve>;
  closing: AbortSignal;
  /** An additional certificate authority (PEM), trusted for webhook receivers only. */
  ca: string | undefined;
  proxy: string | undefined;
}>;

export function makePools({ permits, resolve, closing, ca, proxy }: PoolDeps) {
  const pools = new Map<string, Promise<Dispatcher>>();
  const extraTrust = ca === undefined ? undefined : trustAlso(ca);

  // A TLS session implies a verified certificate, so sessions with different trust are kept apart.
  const sessions = { own: makeSessions(), webhook: makeSessions() };

  return Object.freeze({
    /** The dispatcher for a request; with `freshSocket` it is used for this request only, which must destroy it. */
    async dispatcherFor(url: URL, zone: NetworkZone, request: OutboundRequest): Promise<Dispatcher> {
      const { purpose, freshSocket = false } = request;
      const origin = originOf(request);
      const secureContext = purpose === 'webhook' ? extraTrust : undefined;
      const common = {
        resolve,
        origin,
        permits: permits[zone],
        closing,
        sessions: secureContext ? sessions.webhook : sessions.own,
      };
      const dial = { ...common, ...(secureContext && { secureContext }) };
      const direct = proxy === undefined || addressesOfHost(url.hostname)?.some(isPrivateAddress);
      const make = async () => (direct ? makePool(dial) : makeProxied(proxy, secureContext));
      if (freshSocket) return direct ? makeSingle(dial, url.origin) : make();
      const key = `${zone} ${origin} ${secureContext ? 'webhook' : ''} ${direct ? '' : 'proxy'}`;
      const pool = pools.get(key) ?? make();
      pools.set(key, pool);
      return pool;
    },

    async close(): Promise<void> {
      await Promise.all([...pools.values()].map(async (pool) => (await pool).destroy()));
      pools.clear();
    },
  });
}
