/** Actions of the console: what a company does with its accounts and keys, and how the provider behaves. */
import { tableOf } from '#kernel/text/table.ts';
import { PageError } from '../forms.ts';
import { actsIn, maybe, maybeOne, must, number, oneOf, text, wordsIn, type ActTable } from '../kit/acts.ts';
import { pickPerson } from '../kit/action-fields.ts';
import { settingsAct } from '../kit/settings.ts';
import { MISBEHAVIOURS } from './calls.ts';
import { GROUPS, PLATFORMS, SETTINGS, STATES } from './docs.ts';
import type { KeyTerms, Teams, World } from './world.ts';

const KINDS: ReadonlyMap<string, (now: number) => Omit<KeyTerms, 'name'>> = tableOf({
  full: () => ({}),
  'read only': () => ({ permission: 'read' }),
  'without accounts': () => ({ disabled: ['accounts'] }),
  'accounts only': () => ({ disabled: GROUPS.filter((group) => group !== 'accounts') }),
  expired: (now) => ({ expires_at: now }),
});
const HANDLE = /^[a-z0-9.-]{1,60}$/;
const MOST = 2000;

export function zernioActs({ docs, people, settings, options, pickDoc }: World, teams: Teams): ActTable {
  const act = actsIn(options.store);
  const team = pickPerson('Team', people.find, people.all);
  const nameOf = (page: string) => people.byId(page)?.name ?? page;
  const profile = pickDoc('profile', ({ name, page_id }) => `${name} (${nameOf(page_id)})`);
  const account = pickDoc('account', ({ platform, username }) => `${platform} ${username}`);
  const key = pickDoc(
    'key',
    ({ name, page_id }) => `${name} (${nameOf(page_id)})`,
    ({ revoked_at }) => revoked_at === undefined,
  );

  return {
    groups: { team: 'What a company has', keys: 'Its keys', twin: 'How Zernio behaves' },
    acts: {
      add_team: act('team', 'Add a team', { handle: text('Handle'), name: text('Name') }, ({ handle, name }) => {
        if (!HANDLE.test(handle)) throw new PageError(400, 'A handle has small letters, digits, dots and hyphens.');
        const { id } = teams.addTeam(handle, name);
        return { id, key: teams.keysOf(id)[0]?.parent_id, profile: teams.profilesOf(id)[0]?.id };
      }),
      add_profile: act('team', 'Add a profile', { team, name: text('Name') }, ({ team: { id }, name }) =>
        teams.addProfile(id, name),
      ),
      remove_profile: act('team', 'Remove a profile', { profile }, (given) => teams.removeProfile(given.profile)),
      connect: act(
        'team',
        'Connect an account, such as one of somebody on another network here',
        {
          profile,
          platform: oneOf('Platform', PLATFORMS),
          username: text('Username'),
          name: maybe('Name'),
          platform_id: maybe('Id on the platform'),
          of: maybeOne(account),
        },
        ({ profile: into, platform, username, name = username, platform_id, of }) =>
          teams.connect(into, platform, username, {
            name,
            metadata: platform_id === undefined ? {} : { platformUserId: platform_id },
            of: of?.id,
          }),
      ),
      connect_many: act(
        'team',
        'Connect many accounts',
        { profile, platform: oneOf('Platform', PLATFORMS), count: number('How many') },
        ({ profile: into, platform, count }) => {
          const many = Math.min(Number(count), MOST);
          for (let at = 1; at <= many; at++) teams.connect(into, platform, `${platform}-${at}`);
          return { connected: many };
        },
      ),
      change_account: act('team', 'Change a connection', { account, state: oneOf('It is', STATES) }, (given) =>
        docs.change('account', given.account.id, { state: given.state as (typeof STATES)[number] }),
      ),
      disconnect: act('team', 'Disconnect an account', { account }, (given) =>
        docs.remove('account', given.account.id),
      ),
      add_key: act(
        'keys',
        'Make a key',
        {
          team,
          kind: oneOf('Kind', [...KINDS.keys()]),
          profiles: maybe('Ids of the only profiles it may use, with commas between them'),
        },
        ({ team: { id }, kind, profiles }) => {
          const terms = KINDS.get(kind)?.(options.clock.now()) ?? {};
          const made = teams.addKey(id, { name: `A key: ${kind}`, profiles: wordsIn(profiles), ...terms });
          return { id: made.id, key: made.parent_id };
        },
      ),
      revoke_key: act('keys', 'Revoke a key', { key }, (given) =>
        docs.change('key', given.key.id, { revoked_at: options.clock.now() }),
      ),
      misbehave: {
        group: 'twin',
        title: 'Misbehave towards everybody',
        fields: { how: oneOf('How', MISBEHAVIOURS) },
        run: (values) => settings.set({ misbehaves: must(values, 'how') }),
      },
      settings: settingsAct(settings, SETTINGS, ['misbehaves']),
    },
  };
}
