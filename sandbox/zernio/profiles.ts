import { isoTime } from '#kernel/clock.ts';
import { answer } from '../kit/api/routes.ts';
import type { Call, Calls } from './calls.ts';
import type { Profile } from './docs.ts';
import { conflict, forbidden, invalid, required } from './errors.ts';
import type { Teams, World } from './world.ts';

const MOST = 1000;

const showProfile = ({ id, page_id, name, description, color, is_default, at }: Profile) => ({
  _id: id,
  userId: page_id,
  name,
  ...(description !== undefined && { description }),
  color,
  isDefault: is_default,
  createdAt: isoTime(at),
});

export const showRef = ({ id, name, color }: Profile) => ({
  _id: id,
  name,
  slug: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
  color,
});

export function profileRoutes(world: World, teams: Teams, { row, profileIn, mayUse, wholeIn, once }: Calls) {
  const { docs } = world;
  const id = ({ path }: Call) => path['profileId'] ?? '';

  function freeName(call: Call, name: string, own?: string): string {
    const other = teams.profilesOf(call.team).find((one) => one.name === name && one.id !== own);
    if (other === undefined) return name;
    const details = { existingProfileId: other.id };
    throw conflict('profile_name_conflict', 'A profile with this name already exists', details);
  }
  function written({ params }: Call) {
    const [description, color] = [params.text('description'), params.text('color')];
    const isCleared = params.values['description'] === null;
    return {
      ...((description !== undefined || isCleared) && { description }),
      ...(color !== undefined && { color }),
    };
  }

  return [
    row('GET', 'profiles', 'accounts', (call) => {
      const { params, team, key } = call;
      const [limit, skip] = [wholeIn(call, 'limit', 1, MOST), wholeIn(call, 'skip', 0, Infinity)];
      const name = params.text('name');
      const all = teams
        .profilesOf(team)
        .filter((one) => mayUse(key, one.id) && (name === undefined || one.name === name));
      if (limit === undefined && skip === undefined) return { profiles: all.map(showProfile) };
      const from = skip ?? 0;
      const page = all.slice(from, from + (limit ?? MOST)).map(showProfile);
      return { profiles: page, total: all.length, skip: from, ...(limit !== undefined && { limit }) };
    }),
    row('POST', 'profiles', 'accounts', (call) => {
      const made = once(call, () => {
        const { params, team, key } = call;
        if (key.profiles !== undefined) throw forbidden('API key does not have access to all profiles');
        const name = params.text('name')?.trim() || undefined;
        if (name === undefined) throw required('name');
        const profile = teams.addProfile(team, freeName(call, name), written(call));
        return { message: 'Profile created successfully', profile: showProfile(profile) };
      });
      return answer(made.body, 201);
    }),
    row('GET', 'profiles/{profileId}', 'accounts', (call) => ({ profile: showProfile(profileIn(call, id(call))) })),
    row('PUT', 'profiles/{profileId}', 'accounts', (call) => {
      const { params, team } = call;
      const profile = profileIn(call, id(call));
      const [name, isDefault] = [params.text('name'), params.flag('isDefault')];
      const patch = { ...written(call), ...(name !== undefined && { name: freeName(call, name, profile.id) }) };
      if (name === '') throw invalid('name must not be empty', 'name');
      if (Object.keys(patch).length === 0 && isDefault === undefined)
        throw invalid('Nothing to update', undefined, 'missing_required_field');
      if (isDefault === true)
        for (const one of teams.profilesOf(team)) docs.change('profile', one.id, { is_default: one.id === profile.id });
      const changed = docs.change('profile', profile.id, patch);
      return { message: 'Profile updated successfully', profile: showProfile(changed) };
    }),
    row('DELETE', 'profiles/{profileId}', 'accounts', (call) => {
      const profile = profileIn(call, id(call));
      if (docs.list('account', { parent: profile.id }).some(({ state }) => state !== 'inactive'))
        throw invalid('Profile has active connected accounts; disconnect them first', undefined, 'profile_not_empty');
      teams.removeProfile(profile);
      return { message: 'Profile deleted successfully' };
    }),
  ];
}
