import type { Network } from '#db/schema/database.ts';
import type { Base } from '#call/ports.ts';
import type { Outbound } from '#kernel/net/request.ts';
import type { Sealer } from '#kernel/seal.ts';
import type { AssessDeps } from './assess.ts';
import type { Provider } from './provider.ts';

export type MigrationsDeps = Base &
  AssessDeps &
  Readonly<{
    sealer: Sealer;
    outbound: Pick<Outbound, 'send'>;
    rootUrl: string;
    providers: ReadonlyMap<string, Provider>;
    /** The largest request that is passed on, and the largest answer; 100 MiB unless it is said. */
    mostBytes?: number | undefined;
    /** On which network migrations begin now. */
    networkOf(provider: Provider): Network;
    /** Where the API of a provider begins on a network; undefined where that network cannot be reached now. */
    baseOf(provider: Provider, network: Network): string | undefined;
  }>;
