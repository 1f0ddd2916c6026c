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
    /** The largest forwarded request and response; 100 MiB by default. */
    mostBytes?: number | undefined;
    /** The network of new migrations. */
    networkOf(provider: Provider): Network;
    /** The base URL of a provider's API; undefined if that network is unavailable. */
    baseOf(provider: Provider, network: Network): string | undefined;
  }>;
