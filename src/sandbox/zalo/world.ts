import type { Docs } from '../kit/docs.ts';
import { openDocs } from '../kit/docs.ts';
import { makeFetching, type Fetching } from '../kit/fetching.ts';
import { openFiles, type Files } from '../kit/files.ts';
import { digits } from '../kit/ids.ts';
import { hostBelow, type TwinOptions } from '../kit/options.ts';
import { makePeople, type Person } from '../kit/people.ts';
import { openSettings, type Settings } from '../kit/settings.ts';
import { ABOUT } from './about.ts';
import { SETTINGS, type Tie, type ZaloDocs } from './docs.ts';

/** What ids begin with; they are longer than a number of JSON can hold exactly. */
const START = '247';
const USER_AGENT = 'ZaloPC-mediafetcher';

export type World = Readonly<{
  options: TwinOptions;
  docs: Docs<ZaloDocs>;
  /** Owners are official accounts. */
  people: ReturnType<typeof makePeople<Person>>;
  settings: Settings<typeof SETTINGS>;
  files: Files;
  fetching: Fetching;
  hosts: Readonly<{ cdn(): string; www(): string }>;
}>;

export const newId = (): string => `${START}${digits(16)}`;

/** Opens the tables of the twin. */
export function openWorld(options: TwinOptions): World {
  const { store, clock, webUrl } = options;
  const docs = openDocs<ZaloDocs>(store, ABOUT.prefix);
  const files = openFiles(store, ABOUT.prefix, { nodes: docs, clock, newId });
  return Object.freeze({
    options,
    docs,
    people: makePeople<Person>(docs, ABOUT.slug, clock, START),
    settings: openSettings(store, ABOUT.prefix, SETTINGS),
    files,
    fetching: makeFetching(options, files, { network: ABOUT.slug, userAgent: USER_AGENT }),
    hosts: { cdn: hostBelow(webUrl, ABOUT.slug, 'cdn'), www: hostBelow(webUrl, ABOUT.slug, 'www') },
  });
}

const ACCOUNTS = Object.freeze([
  ['olivia.sandbox.test', 'Harbour Coffee'],
  ['sam.sandbox.test', 'Single Origin'],
] as const);
const USERS = Object.freeze([
  ['fred.sandbox.test', 'Fred Follower'],
  ['mia.sandbox.test', 'Mia Message'],
  ['zoe.sandbox.test', 'Zoë Ünder'],
] as const);

/** Puts everybody where they are on the first day. */
export function settle({ people, options }: World): void {
  options.store.write(() => {
    for (const [handle, name] of ACCOUNTS) people.add(handle, name, true);
    for (const [handle, name] of USERS) people.add(handle, name, false);
  });
}

/** What is between accounts and users. */
export function makeTies({ docs, people, options: { clock } }: World) {
  const idOf = (account: string, person: string): string => `${START}${people.scopedId(account, person)}`;
  return Object.freeze({
    /** How an app knows somebody, whatever the account. */
    appIdOf: (person: string): string => `${START}${people.scopedId('app', person)}`,
    get: (id: string): Tie | undefined => docs.get('tie', id),
    of: (account: string) => docs.list('tie', { page: account }),
    /** The tie of a person to an account, made at its first use. Inside a transaction. */
    between(account: string, person: string): Tie {
      const id = idOf(account, person);
      return docs.get('tie', id) ?? docs.put('tie', { id, at: clock.now(), page_id: account, person });
    },
    /** A new visitor of the web chat of an account. */
    visitor: (account: string): Tie =>
      docs.put('tie', { id: newId(), at: clock.now(), page_id: account, person: '', conversation: newId() }),
    change: (id: string, patch: Partial<Tie>) => docs.change('tie', id, patch),
    nameOf: ({ person }: Tie): string => people.byId(person)?.name ?? 'Visitor',
  });
}

export type Ties = ReturnType<typeof makeTies>;

/** The address of a profile picture. */
export const avatarOf = ({ hosts }: World, id: string): string => `${hosts.cdn()}/picture/${id}.png`;
