import { DAY, isoTime } from '#kernel/clock.ts';
import { answer } from '../kit/api/routes.ts';
import type { Call, Calls } from './calls.ts';
import { GROUPS, type Key } from './docs.ts';
import { invalid, missing, required } from './errors.ts';
import { showRef } from './profiles.ts';
import type { Teams, World } from './world.ts';

export function keyRoutes({ docs, people, options: { clock } }: World, teams: Teams, { row, profileIn }: Calls) {
  const userOf = (team: string) => {
    const { handle, name } = people.byId(team)!;
    return { name, email: handle.replace('.', '@') };
  };
  const show = ({ id, page_id, parent_id: key, name, expires_at, at, profiles, permission, disabled }: Key) => ({
    id,
    name,
    keyPreview: `${key.slice(0, key.indexOf('_') + 9)}...${key.slice(-8)}`,
    expiresAt: isoTime(expires_at),
    createdAt: isoTime(at),
    scope: profiles === undefined ? 'full' : 'profiles',
    profileIds: (profiles ?? []).flatMap((one) => {
      const profile = docs.get('profile', one);
      return profile === undefined ? [] : [showRef(profile)];
    }),
    permission,
    ...(disabled.length > 0 && { disabledResourceGroups: disabled }),
    createdBy: { id: page_id, email: userOf(page_id).email },
  });

  function termsIn(call: Call) {
    const { params } = call;
    const name = params.text('name');
    if (name === undefined || name === '') throw required('name');
    const scope = params.oneOf('scope', ['full', 'profiles']) ?? 'full';
    const profiles = params.list('profileIds')?.map((one) => profileIn(call, String(one)).id);
    if (scope === 'profiles' && (profiles ?? []).length === 0) throw required('profileIds');
    const disabled = (params.list('disabledResourceGroups') ?? []).map((given) => {
      const group = GROUPS.find((one) => one === given);
      if (group === undefined) throw invalid('Unknown resource group', 'disabledResourceGroups');
      return group;
    });
    const days = params.whole('expiresIn');
    return {
      name,
      permission: params.oneOf('permission', ['read-write', 'read']) ?? 'read-write',
      profiles: scope === 'profiles' ? profiles : undefined,
      disabled,
      expires_at: days === undefined ? undefined : clock.now() + days * DAY,
    } as const;
  }

  return [
    row('GET', 'auth/verify', 'any', ({ team }) => ({
      valid: true,
      userId: team,
      ...userOf(team),
      authType: 'api_key',
      scope: null,
    })),
    row('GET', 'api-keys', 'admin', ({ team }) => ({ apiKeys: teams.keysOf(team).map(show) })),
    row('POST', 'api-keys', 'admin', (call) => {
      const key = teams.addKey(call.team, termsIn(call));
      return answer({ message: 'API key created successfully', apiKey: { ...show(key), key: key.parent_id } }, 201);
    }),
    row('DELETE', 'api-keys/{keyId}', 'admin', ({ path, team }) => {
      const key = teams.keysOf(team).find(({ id }) => id === path['keyId']);
      if (key === undefined) throw missing('API key');
      docs.change('key', key.id, { revoked_at: clock.now() });
      return { message: 'API key deleted successfully' };
    }),
  ];
}
