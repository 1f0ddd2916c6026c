import type { Clock } from '#kernel/clock.ts';
import type { Outbound } from '#kernel/net/request.ts';
import type { Faults } from '../faults.ts';
import type { Forms } from '../forms.ts';
import type { Journal } from '../journal.ts';
import type { Store } from '../store.ts';

/** What the sandbox gives every twin. */
export type TwinOptions = Readonly<{
  store: Store;
  clock: Clock;
  /** Where programs reach the sandbox, browsers reach it, and the twin reaches the app. */
  rootUrl: () => string;
  webUrl: () => string;
  productUrl: () => string;
  /** The secret of the one app of the sandbox. */
  appSecret: string;
  outbound: Pick<Outbound, 'send'>;
  forms: Forms;
  faults: Faults;
  journal: Journal;
  /** Off only for load tests; a real server always counts. */
  rateLimits: boolean;
  /** Waits by the clock; answers false when the sandbox closed meanwhile. */
  wait(ms: number): Promise<boolean>;
  complain(error: unknown, what: string): void;
}>;

/** The origins that the app and the sandbox are reached at. */
export const ownOrigins = ({ rootUrl, webUrl, productUrl }: TwinOptions): readonly string[] =>
  [rootUrl, webUrl, productUrl].map((root) => new URL(root()).origin);

/** The address of an area of a twin, below one of the roots. */
export const hostBelow = (root: () => string, slug: string, area: string) => (): string =>
  `${root().replace(/\/+$/, '')}/sandbox/${slug}/${area}`;
