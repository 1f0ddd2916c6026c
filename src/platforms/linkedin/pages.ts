import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import type { PageProfile, Pages } from '../connect.ts';
import { unlessRefused } from '../shared/errors.ts';
import { readable, text, word } from '../shared/fields.ts';
import { path } from '../shared/rest.ts';
import { callApi, Elements, idOfUrn, isOrganization, sessionOf, Urn } from './api.ts';
import { OPENID } from './scopes.ts';

/** Roles that may publish on behalf of an organization. */
const ROLES: ReadonlySet<string> = new Set(['ADMINISTRATOR', 'CONTENT_ADMINISTRATOR', 'CONTENT_ADMIN']);
const MOST_ROLES = 100;

const MemberId = z.string().min(1).max(100);
const Member = z
  .object({ sub: MemberId, name: word, email: text, picture: text })
  .transform(({ sub: id, ...member }) => ({ ...member, id, vanity: undefined }));
const Picture = z.object({ identifiers: z.array(z.object({ identifier: z.string() })) });
const BasicMember = z
  .object({
    id: MemberId,
    localizedFirstName: word,
    localizedLastName: word,
    vanityName: text,
    profilePicture: z
      .object({ 'displayImage~': z.object({ elements: z.array(Picture) }) })
      .optional()
      .catch(undefined),
  })
  .transform(({ id, localizedFirstName: first, localizedLastName: last, vanityName: vanity, profilePicture }) => {
    // The last picture is the largest.
    const picture = profilePicture?.['displayImage~'].elements.at(-1)?.identifiers[0]?.identifier;
    return { id, name: [first, last].filter(Boolean).join(' '), email: undefined, picture, vanity };
  });
const BASIC = {
  method: 'GET',
  path: '/v2/me',
  query: {
    projection: '(id,localizedFirstName,localizedLastName,vanityName,profilePicture(displayImage~:playableStreams))',
  },
} as const;
const Role = z.object({ organization: Urn, role: z.string() });
const Organization = z.object({ localizedName: word, vanityName: text, localizedDescription: text });

type Known = Readonly<{ scopes: readonly string[]; organizations?: readonly string[] }>;

/** Reads the member and the pages; organizations come first, so that one of them is the default. */
export async function readLogin(call: AccountCall, { scopes, organizations: known = [] }: Known) {
  // Apps for organizations cannot have OpenID Connect, because they may use no other product.
  const me = scopes.includes(OPENID)
    ? await callApi(call, { method: 'GET', path: '/v2/userinfo' }, Member)
    : await callApi(call, BASIC, BasicMember);
  const member = `urn:li:person:${me.id}`;
  const organizations = await managedBy(call, known);
  const own = await Promise.all(organizations.map((urn) => organizationPage(call, urn)));
  const self = { platform_page_id: member, name: me.name, category: 'member', profile_picture_url: me.picture };
  return { me, member, organizations, pages: [...own, self] };
}

/** The organizations for which the member may publish; the known ones if the app may not list them. */
async function managedBy(call: AccountCall, known: readonly string[]): Promise<readonly string[]> {
  const query = { q: 'roleAssignee', state: 'APPROVED', start: 0, count: MOST_ROLES };
  const requested = callApi(call, { method: 'GET', path: '/rest/organizationAcls', query }, Elements);
  const found = await unlessRefused(requested, 'permission_denied');
  if (found === undefined) return known;
  const named = readable(Role, found.elements).flatMap(({ organization, role }) =>
    ROLES.has(role) ? organization : [],
  );
  return [...new Set(named.filter(isOrganization))];
}

/** Reads one organization, as trial apps may not read several at once; if it is refused, only the id is known. */
async function organizationPage(call: AccountCall, urn: string): Promise<PageProfile> {
  const id = idOfUrn(urn);
  const requested = callApi(call, { method: 'GET', ...path`/rest/organizations/${{ id }}` }, Organization);
  const found = await unlessRefused(requested, 'not_found', 'permission_denied');
  return {
    platform_page_id: urn,
    name: found?.localizedName || id,
    username: found?.vanityName,
    category: 'organization',
    about: found?.localizedDescription,
    link: `${call.hosts['www']!}/company/${found?.vanityName ?? id}`,
  };
}

export const pages: Pages = {
  async read(call) {
    const session = sessionOf(call.session);
    const { pages: found, organizations } = await readLogin(call, session);
    return { pages: found, session: { ...session, organizations } };
  },
};
