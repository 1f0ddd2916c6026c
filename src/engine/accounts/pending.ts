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

/** The secrets that a connector needs after a consent; `url` is that of the consent page. */
type ConsentSecrets = Readonly<Record<string, string>>;
/** The consents to choose from: those of the first login, and others by the login's name. */
export type Consents = Readonly<Record<string, string | Readonly<Record<string, ConsentSecrets>>>>;

/** Stored encrypted with a begun connection: its consents, and who may be told where its account is connected. */
export type Begun = Readonly<{ consents: Consents; audience: Audience | null }>;

/** Reads a begun connection; those of older releases contain only the consents. */
export function begunIn(sealer: Sealer, { id, sealed }: Pick<ConnectRow, 'id' | 'sealed'>): Begun {
  const stored = openJson(sealer, sealed, 'connects', id) as Begun | Consents;
  return 'consents' in stored ? (stored as Begun) : { consents: stored, audience: null };
}

export function consentsIn(slug: string, stored: Consents): ReadonlyMap<string, ConsentSecrets> {
  const { logins = {}, ...own } = stored;
  const first = 'url' in own ? { [slug]: own as ConsentSecrets } : {};
  return new Map(Object.entries({ ...first, ...(logins as Readonly<Record<string, ConsentSecrets>>) }));
}

/** The state to send to the platform; it contains the login's name, unless it is the first login. */
export function stateFor(state: string, login: string, { slug }: Pick<Platform, 'slug'>): string {
  return login === slug ? state : `${state}.${login}`;
}

/** Splits a returned state into the connection's state and the login, which is undefined for the first one. */
export function partsOfState(text: string): Readonly<{ state: string; login: string | undefined }> {
  const [state = '', login] = text.split('.', 2);
  return { state, login };
}

/** A begun connection, as our pages need it. */
export type PendingConnection = Readonly<{
  row: ConnectRow;
  platform: Platform;
  /** The fields of a form for credentials; undefined if consent is the only way. */
  form: readonly FormField[] | undefined;
  brandName: string | undefined;
  username: string | undefined;
  /** When the invite expires, if the person was invited. */
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
  /** Runs before a finished login is stored as an account; never throws. */
  beforeConnected(platform: Platform, network: Network, connected: Connected): Promise<void>;
  link(tx: Tx, link: Link): Promise<AccountRow>;
  /** Stores a login in a transaction; if its invite has ended, also ends the grant on the platform. */
  writeLogin<T>(login: Login, write: (tx: Tx) => Promise<T>): Promise<T>;
}>;
