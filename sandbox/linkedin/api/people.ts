import { route, type Caller, type RouteCall } from '../../kit/api/routes.ts';
import { notFound, notPermitted } from '../errors.ts';
import { personUrn } from '../world.ts';
import type { Parts, Routes } from './calls.ts';

export function peopleRoutes({ world, names, login, api }: Parts): Routes {
  const { docs, people, settings } = world;

  function member(id: string): object {
    const { name, handle } = people.byId(id)!;
    const [localizedFirstName, localizedLastName] = name.split(' ');
    const profile = { localizedHeadline: 'In the sandbox', vanityName: handle.split('.')[0] };
    return { id, localizedFirstName, localizedLastName, ...profile };
  }
  function find(id: string): object | undefined {
    const $URN = `urn:li:organization:${id}`;
    const { name: localizedName, vanity: vanityName } = docs.get('organization', $URN) ?? {};
    const [cropped, original] = [names.picture($URN), names.picture($URN)];
    if (localizedName === undefined) return undefined;
    return { id: Number(id), $URN, localizedName, vanityName, logoV2: { cropped, original } };
  }
  /** A call to an API without versions. */
  const plain = (path: string, scope: string, run: (call: RouteCall<Caller>) => unknown) =>
    route<Caller>('GET', path, {}, (call) => {
      if (!call.caller.scopes.includes(scope)) throw notPermitted(`GET ${path}`);
      return run(call);
    });

  return [
    plain('/v2/userinfo', 'openid', ({ caller }) => login.claims(caller, names.picture(personUrn(caller.person)))),
    plain('/v2/me', 'r_basicprofile', ({ caller }) => member(caller.person)),
    ...api.resource('/rest/people/{key}', {
      GET({ key }) {
        const id = key.text('id');
        if (!settings.get('people_lookup')) throw notPermitted('people.GET');
        if (people.byId(id) === undefined) throw notFound(`member ${id}`);
        return member(id);
      },
    }),
    ...api.resource('/rest/organizationAcls', {
      'FINDER roleAssignee'(call) {
        const { query, caller } = call;
        const own = personUrn(caller.person);
        if (!caller.scopes.some((scope) => scope.endsWith('organization_admin')))
          throw notPermitted('organizationAcls.FINDER-roleAssignee');
        const isRequested = ({ person, role }: Readonly<{ person: string; role: string }>) =>
          person === own &&
          (query.maybe('role') ?? role) === role &&
          (query.maybe('state') ?? 'APPROVED') === 'APPROVED';
        const rows = docs.list('role').filter(isRequested);
        const state = 'APPROVED';
        return api.list(
          call,
          rows.map(({ page_id: organization, role }) => ({ role, organization, roleAssignee: own, state })),
        );
      },
    }),
    ...api.resource('/rest/organizations', { BATCH_GET: (call) => api.batch(call, find) }),
    ...api.resource('/rest/organizations/{id}', {
      GET(call) {
        const found = find(call.keys[0]!);
        if (found === undefined) throw notFound(`organization ${call.keys[0]}`);
        return found;
      },
    }),
  ];
}
