import { makeUsage } from '../kit/api/usage.ts';
import { digits, fixedId, makeTimeIds, randomText } from '../kit/ids.ts';
import { makeClients } from '../kit/oauth/clients.ts';
import type { TwinOptions } from '../kit/options.ts';
import { openWorld } from '../kit/world.ts';
import { ABOUT } from './about.ts';
import { SETTINGS, type App, type OrderedError, type TwitterDocs, type User } from './docs.ts';
import { LoginError } from './errors.ts';

const IDS = { epoch: 1_288_834_974_657, bits: 22n };

export function openTwitter(options: TwinOptions) {
  const own = { settings: SETTINGS, userAgent: 'Twitterbot/1.0', newId: () => digits(16) };
  const base = openWorld<TwitterDocs, typeof SETTINGS, OrderedError>(options, ABOUT, own);
  const { docs, webHost, apiHost } = base;
  const newest = (['post', 'medium', 'message'] as const).map((kind) => BigInt(docs.list(kind).at(-1)?.id ?? 0));
  const newId = makeTimeIds(
    options.clock,
    IDS,
    newest.reduce((a, b) => (a > b ? a : b)),
  );
  return Object.freeze({
    ...base,
    newId,
    usage: makeUsage(docs, options.clock),
    hosts: { cdn: webHost('cdn'), api: apiHost('api') },
  });
}
export type World = ReturnType<typeof openTwitter>;
export type Apps = ReturnType<typeof makeApps>;
export type Users = ReturnType<typeof makeUsers>;

export const makeApps = ({ docs, options: { clock } }: World) =>
  makeClients<App>(
    docs,
    clock,
    () => ({
      client_secret: randomText(37),
      consumer_key: randomText(18),
      consumer_secret: randomText(37),
      bearer: `AAAAAAAAAAAAAAAAAAAAA${randomText(60)}`,
    }),
    {
      missing: () => new LoginError(401, 'unauthorized_client', 'Missing valid authorization header'),
      wrong: () => new LoginError(401, 'invalid_client', 'Value passed for the client credentials was invalid.'),
    },
  );

export const appNumber = (client: string): string => fixedId(ABOUT.slug, 'app', client);

/** The people of a new simulator. Those who can be connected have their own app. */
const RESIDENTS = Object.freeze([
  ['olivia.sandbox.test', 'Olivia Harbour', true],
  ['sam.sandbox.test', 'Sam Single', true],
  ['fred.sandbox.test', 'Fred Follower', false],
  ['mia.sandbox.test', 'Mia Message', false],
  ['zoe.sandbox.test', 'Zoë Ünder', false],
] as const);

export function makeUsers({ docs, people, options }: World, apps: Apps) {
  const all = () => docs.list('person');
  const nameOf = ({ handle, username }: User): string =>
    username ?? (handle.split('.')[0] ?? '').replaceAll(/\W/g, '_').slice(0, 15);
  /** Gives a new person a unique username, and an app if the person can be connected. */
  function settle(id: string): void {
    const user = docs.get('person', id)!;
    const isTaken = all().some((one) => one.id !== id && nameOf(one) === nameOf(user));
    docs.change('person', id, { username: isTaken ? `${nameOf(user).slice(0, 10)}${id.slice(-5)}` : nameOf(user) });
    if (user.owner) apps.onboard(user);
  }
  options.store.write(() => {
    for (const [handle, name, isOwner] of RESIDENTS) settle(people.add(handle, name, isOwner).id);
  });

  return Object.freeze({
    all,
    nameOf,
    settle,
    owners: people.owners,
    get: (id: string): User | undefined => docs.get('person', id),
    named: (name: string): User | undefined => all().find((one) => nameOf(one).toLowerCase() === name.toLowerCase()),
    find: (words: string): User | undefined =>
      docs.get('person', people.find(words)?.id ?? '') ?? all().find((one) => nameOf(one) === words.replace(/^@/, '')),
    change: (id: string, patch: Partial<User>): User => docs.change('person', id, patch),
  });
}
