import { addressesOfHost, isPrivateAddress, portOf, type makeGuard } from './addresses.ts';
import type { Permits } from './dial.ts';
import { OutboundError } from './outbound.ts';
import type { makeResolve, Origin } from './resolve.ts';

/** The zone of a request, which decides about its sockets: a kept one is reused only within its zone. */
export type NetworkZone = 'trusted' | 'public' | 'private';

type ZoneDeps = Readonly<{
  guard: ReturnType<typeof makeGuard>;
  resolve: ReturnType<typeof makeResolve>;
  /** Whether requests go through a proxy, which resolves names itself. */
  hasProxy: boolean;
}>;

/** Decides to which zone an address belongs, and what may be dialled in each zone. */
export function makeZones({ guard, resolve, hasProxy }: ZoneDeps) {
  const permits: Readonly<Record<NetworkZone, Permits>> = {
    trusted: () => true,
    public: (address, port) => !guard.refuses(address, port) && !isPrivateAddress(address),
    private: (address, port) => !guard.refuses(address, port),
  };

  return Object.freeze({
    permits,

    /** The zone of a request; throws if the guard refuses its address. */
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
