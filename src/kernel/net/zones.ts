import { addressesOfHost, isPrivateAddress, portOf, type makeGuard } from './addresses.ts';
import type { Permits } from './dial.ts';
import { OutboundError } from './outbound.ts';
import type { makeResolve, Origin } from './resolve.ts';

/** Which sockets a request may use; a kept one never serves a request that could not have opened it. */
export type NetworkZone = 'trusted' | 'public' | 'private';

type ZoneDeps = Readonly<{
  guard: ReturnType<typeof makeGuard>;
  resolve: ReturnType<typeof makeResolve>;
  /** Requests go through a proxy, which resolves names itself. */
  hasProxy: boolean;
}>;

/** Network zones: which one an address lies in, and what may be dialled in each. */
export function makeZones({ guard, resolve, hasProxy }: ZoneDeps) {
  const permits: Readonly<Record<NetworkZone, Permits>> = {
    trusted: () => true,
    public: (address, port) => !guard.refuses(address, port) && !isPrivateAddress(address),
    private: (address, port) => !guard.refuses(address, port),
  };

  return Object.freeze({
    permits,

    /** The zone of an address; refuses one that the guard closes. */
    async of(
      { url, trusted }: Readonly<{ url: URL; trusted: boolean }>,
      origin: Origin,
      signal: AbortSignal,
    ): Promise<NetworkZone> {
      if (trusted) return 'trusted';
      const addresses = hasProxy ? (addressesOfHost(url.hostname) ?? []) : await resolve(url.hostname, origin, signal);
      if (addresses.some((address) => guard.refuses(address, portOf(url)))) {
        throw new OutboundError('refused_address', url.host);
      }
      return addresses.some(isPrivateAddress) ? 'private' : 'public';
    },
  });
}

export type Zones = ReturnType<typeof makeZones>;
