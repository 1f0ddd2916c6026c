import { randomBytes } from 'node:crypto';
import { openBase } from '../kit/base.ts';
import { seconds } from '../kit/ids.ts';
import type { TwinOptions } from '../kit/options.ts';
import type { Person } from '../kit/people.ts';
import { ABOUT } from './about.ts';
import { SETTINGS, type Account, type Key, type Profile, type ZernioDocs } from './docs.ts';

const COLORS = Object.freeze(['#ffeda0', '#4CAF50', '#2196F3', '#EF4444', '#9C27B0']);

export function openWorld(options: TwinOptions) {
  /** Ids begin with the second in which they were made, like ids of the provider's database. */
  const newId = () => seconds(options.clock.now()).toString(16).padStart(8, '0') + randomBytes(8).toString('hex');
  const own = { settings: SETTINGS, userAgent: 'Zernio/1.0', newId, start: '65070000' };
  const base = openBase<ZernioDocs, typeof SETTINGS, never>(options, ABOUT, own);
  const { webHost } = base;
  return Object.freeze({ ...base, newId, hosts: { media: webHost('media') } });
}
export type World = ReturnType<typeof openWorld>;

/** The first team, with its profiles, platforms and usernames. */
const FIRST = Object.freeze({
  handle: 'olivia.sandbox.test',
  name: 'Harbour Coffee',
  profiles: {
    'Harbour Coffee': [
      ['twitter', '@olivia', 'Olivia Harbour'],
      ['instagram', 'harbour.coffee', 'Harbour Coffee'],
      ['facebook', 'harbourcoffee', 'Harbour Coffee'],
      ['googlebusiness', 'Harbour Coffee', 'Harbour Coffee'],
    ],
    'Harbour Bakery': [
      ['instagram', 'harbour.bakery', 'Harbour Bakery'],
      ['bluesky', 'alice.sandbox.test', 'Alice of the Sandbox'],
      ['reddit', 'harbour_bakery', 'Harbour Bakery'],
    ],
  },
} as const);

export type KeyTerms = Readonly<{ name: string }> &
  Partial<Pick<Key, 'permission' | 'profiles' | 'disabled' | 'expires_at'>>;

/** Teams with keys, profiles and accounts. Callers write inside a transaction. */
export function makeTeams({ docs, people, newId, options: { clock } }: World) {
  const profilesOf = (page: string): readonly Profile[] =>
    docs.list('profile', { page }).toSorted((a, b) => Number(b.is_default) - Number(a.is_default));

  function addProfile(page_id: string, name: string, more: Partial<Profile> = {}): Profile {
    const count = docs.list('profile', { page: page_id }).length;
    const made = { id: newId(), at: clock.now(), page_id, name, description: undefined };
    return docs.put('profile', { ...made, color: COLORS[count % COLORS.length]!, is_default: count === 0, ...more });
  }
  function connect(profile: Profile, platform: string, username: string, more: Partial<Account> = {}): Account {
    const made = { id: newId(), at: clock.now(), page_id: profile.page_id, parent_id: profile.id, platform, username };
    return docs.put('account', { ...made, name: username, state: 'connected', metadata: {}, ...more });
  }
  /** Adds a key. A limited key has another prefix. */
  function addKey(page_id: string, { disabled = [], ...terms }: KeyTerms): Key {
    const parent_id = `${disabled.length > 0 ? 'zrk' : 'sk'}_${randomBytes(32).toString('hex')}`;
    const made = { id: newId(), at: clock.now(), page_id, parent_id, disabled, expires_at: undefined };
    return docs.put('key', { ...made, permission: 'read-write', ...terms });
  }
  function addTeam(handle: string, name: string): Person {
    const known = people.find(handle);
    if (known !== undefined) return known;
    const team = people.add(handle, name, true);
    addProfile(team.id, 'Default');
    addKey(team.id, { name: 'First key' });
    return team;
  }

  return Object.freeze({
    profilesOf,
    addProfile,
    connect,
    addKey,
    addTeam,
    keysOf: (page: string) => docs.list('key', { page }).filter(({ revoked_at }) => revoked_at === undefined),
    accountsOf: (page: string) => docs.list('account', { page }).filter(({ state }) => state !== 'not enabled'),
    removeProfile({ id, page_id, is_default }: Profile): void {
      for (const account of docs.list('account', { parent: id })) docs.remove('account', account.id);
      docs.remove('profile', id);
      const [next] = profilesOf(page_id);
      if (is_default && next !== undefined) docs.change('profile', next.id, { is_default: true });
    },
    settle(): void {
      const { id } = people.add(FIRST.handle, FIRST.name, true);
      for (const team of people.all()) addKey(team.id, { name: 'First key' });
      for (const [name, accounts] of Object.entries(FIRST.profiles)) {
        const profile = addProfile(id, name);
        for (const [platform, username, display] of accounts) connect(profile, platform, username, { name: display });
      }
      for (const team of people.all()) if (team.id !== id) addProfile(team.id, 'Default');
    },
  });
}
export type Teams = ReturnType<typeof makeTeams>;
