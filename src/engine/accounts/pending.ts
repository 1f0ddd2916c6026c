import type { AccountRow } from '#db/access/accounts.ts';
import type { ConnectRow } from '#db/access/connects.ts';
import type { Network } from '#db/schema/database.ts';
import { openJson } from '#db/schema/sealed.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Sealer } from '#kernel/seal.ts';
import type { Connected, FormField } from '#platforms/connect.ts';
import type { Platforms } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import type { AppFinder } from '#call/ports.ts';
import type { Admission } from './admission.ts';
import type { Calling } from './calling.ts';
import type { Link, Login, Audience } from './link.ts';

/** What is kept of a consent: the address of its page, and the secrets of its connector. */
type ConsentSecrets = Readonly<Record<string, string>>;
/** The consents a person may choose from: that of the first login, and those of the others by their names. */
export type Consents = Readonly<Record<string, string | Readonly<Record<string, ConsentSecrets>>>>;

/** What is sealed with a connection that was begun: its consents, and who may be told where its account is already. */
export type Begun = Readonly<{ consents: Consents; audience: Audience | null }>;

/** What was sealed with a connection; those that were begun by an older release have their consents alone. */
export function begunIn(sealer: Sealer, { id, sealed }: Pick<ConnectRow, 'id' | 'sealed'>): Begun {
  const stored = openJson(sealer, sealed, 'connects', id) as Begun | Consents;
  return 'consents' in stored ? (stored as Begun) : { consents: stored, audience: null };
}

/** The consents of a connection that was begun, by the names of their logins. */
export function consentsIn(slug: string, stored: Consents): ReadonlyMap<string, ConsentSecrets> {
  const { logins = {}, ...own } = stored;
  const first = 'url' in own ? { [slug]: own as ConsentSecrets } : {};
  return new Map(Object.entries({ ...first, ...(logins as Readonly<Record<string, ConsentSecrets>>) }));
}

/** The state that goes to the platform: it says which login a person comes back from, unless it is the first one. */
export function stateFor(state: string, login: string, { slug }: Pick<Platform, 'slug'>): string {
  return login === slug ? state : `${state}.${login}`;
}

/** The state of a connection, and the login that it came back from, where it is not the first one. */
export function partsOfState(text: string): Readonly<{ state: string; login: string | undefined }> {
  const [state = '', login] = text.split('.', 2);
  return { state, login };
}

/** A connection under way, as our own form and pages need it. */
export type PendingConnection = Readonly<{
  row: ConnectRow;
  platform: Platform;
  /** For credentials; undefined where only consent will do. */
  form: readonly FormField[] | undefined;
  brandName: string | undefined;
  username: string | undefined;
  /** Until when the person is invited who connects the account; undefined where nobody is. */
  invitedUntil: number | undefined;
}>;

export type ConnectionDeps = Readonly<{
  store: Store;
  clock: Clock;
  sealer: Sealer;
  calling: Calling;
  platforms: Platforms;
  rootUrl: string;
  admission: Admission;
  apps: AppFinder;
  /** What is done before a finished login becomes an account; it does not fail. */
  beforeConnected(platform: Platform, network: Network, connected: Connected): Promise<void>;
  /** Stores a finished login as an account, with its event. */
  link(tx: Tx, link: Link): Promise<AccountRow>;
  /** The transaction that links a login; where its invite is over by then, the grant ends, which nobody could use. */
  writeLogin<T>(login: Login, write: (tx: Tx) => Promise<T>): Promise<T>;
}>;
