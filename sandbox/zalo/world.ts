import { digits } from '../kit/ids.ts';
import type { TwinOptions } from '../kit/options.ts';
import { openWorld as openKit } from '../kit/world.ts';
import { ABOUT } from './about.ts';
import { SETTINGS, type OrderedError, type Tie, type ZaloDocs } from './docs.ts';

/** Starts every id, so that ids exceed what a JSON number can hold exactly. */
const START = '247';

export const newId = (): string => `${START}${digits(16)}`;

/** Opens the tables. Owners are official accounts. */
export function openWorld(options: TwinOptions) {
  const own = { settings: SETTINGS, userAgent: 'ZaloPC-mediafetcher', newId, start: START };
  const base = openKit<ZaloDocs, typeof SETTINGS, OrderedError>(options, ABOUT, own);
  return Object.freeze({ ...base, hosts: { cdn: base.webHost('cdn'), www: base.webHost('www') } });
}
export type World = ReturnType<typeof openWorld>;

export const ACCOUNTS = [
  ['olivia.sandbox.test', 'Harbour Coffee'],
  ['sam.sandbox.test', 'Single Origin'],
] as const;

export function makeTies({ docs, people, options: { clock } }: World) {
  const idOf = (account: string, person: string): string => `${START}${people.scopedId(account, person)}`;
  return Object.freeze({
    appIdOf: (person: string): string => `${START}${people.scopedId('app', person)}`,
    get: (id: string): Tie | undefined => docs.get('tie', id),
    of: (account: string) => docs.list('tie', { page: account }),
    /** The relation of a person to an account, created when it is first needed. Inside a transaction. */
    between(account: string, person: string): Tie {
      const id = idOf(account, person);
      return docs.get('tie', id) ?? docs.put('tie', { id, at: clock.now(), page_id: account, person });
    },
    visitor: (account: string): Tie =>
      docs.put('tie', { id: newId(), at: clock.now(), page_id: account, person: '', conversation: newId() }),
    change: (id: string, patch: Partial<Tie>) => docs.change('tie', id, patch),
    nameOf: ({ person }: Tie): string => people.byId(person)?.name ?? 'Visitor',
  });
}

export type Ties = ReturnType<typeof makeTies>;

export const avatarOf = ({ hosts }: World, id: string): string => `${hosts.cdn()}/picture/${id}.png`;
