import type { Clock } from '#kernel/clock.ts';
import type { Outbound } from '#kernel/net/request.ts';
import type { Faults } from '../faults.ts';
import type { Forms } from '../forms.ts';
import type { Journal } from '../journal.ts';
import type { Store } from '../store.ts';

export type TwinOptions = Readonly<{
  store: Store;
  clock: Clock;
  /** The sandbox's URLs for programs and for browsers, and the URL of the app. */
  rootUrl: () => string;
  webUrl: () => string;
  productUrl: () => string;
  appSecret: string;
  outbound: Pick<Outbound, 'send'>;
  forms: Forms;
  faults: Faults;
  journal: Journal;
  /** Only load tests turn this off; a real server always counts. */
  rateLimits: boolean;
  /** Waits until the time has passed; false if the sandbox was closed first. */
  wait(ms: number): Promise<boolean>;
  complain(error: unknown, what: string): void;
}>;

/** The origins of the app and of the sandbox. */
export const ownOrigins = ({ rootUrl, webUrl, productUrl }: TwinOptions): readonly string[] =>
  [rootUrl, webUrl, productUrl].map((root) => new URL(root()).origin);

export const hostBelow = (root: () => string, slug: string, area: string) => (): string =>
  `${root().replace(/\/+$/, '')}/sandbox/${slug}/${area}`;
