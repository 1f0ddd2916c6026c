import type { Clock } from '#kernel/clock.ts';
import type { Outbound } from '#kernel/net/request.ts';
import type { Faults } from '../faults.ts';
import type { Forms } from '../forms.ts';
import type { Journal } from '../journal.ts';
import type { Store } from '../store.ts';

export type TwinOptions = Readonly<{
  store: Store;
  clock: Clock;
  /** URLs of the sandbox for programs and browsers, and of the app for twins. */
  rootUrl: () => string;
  webUrl: () => string;
  productUrl: () => string;
  appSecret: string;
  outbound: Pick<Outbound, 'send'>;
  forms: Forms;
  faults: Faults;
  journal: Journal;
  /** Off only for load tests; a real server always counts. */
  rateLimits: boolean;
  /** Waits by the clock; false if the sandbox closed meanwhile. */
  wait(ms: number): Promise<boolean>;
  complain(error: unknown, what: string): void;
}>;

/** Origins of the app and the sandbox. */
export const ownOrigins = ({ rootUrl, webUrl, productUrl }: TwinOptions): readonly string[] =>
  [rootUrl, webUrl, productUrl].map((root) => new URL(root()).origin);

export const hostBelow = (root: () => string, slug: string, area: string) => (): string =>
  `${root().replace(/\/+$/, '')}/sandbox/${slug}/${area}`;
