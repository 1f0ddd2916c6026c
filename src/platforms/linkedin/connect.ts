import type { UnauthenticatedCall } from '../call.ts';
import type { Connected } from '../connect.ts';
import { codeFlow, scopesOf, type Tokens } from '../shared/oauth.ts';
import { sessionOf } from './api.ts';
import { readLogin } from './pages.ts';

const SCOPES = 'openid profile email w_member_social w_organization_social r_organization_social rw_organization_admin';

/** LinkedIn refuses a consent that asks for more than the app was given. */
const wantedOf = ({ settings }: Pick<UnauthenticatedCall, 'settings'>): string => settings['LINKEDIN_SCOPES'] ?? SCOPES;

/** Connecting by the consent of a member: one login with the pages of the organizations that they manage. */
export const connect = codeFlow({
  slug: 'linkedin',
  title: 'LinkedIn',
  authorize: { host: 'www', path: '/oauth/v2/authorization' },
  token: { host: 'oauth', path: '/oauth/v2/accessToken' },
  scopes: [],
  separator: ' ',
  extra: (call) => ({ scope: wantedOf(call) }),
  over: /expired|revoked|refresh token|authorization code/i,
  profiles,
  refresh: {
    tokenOf: (session) => sessionOf(session).refresh,
    renew: (session, { access, refresh, expiresAt }) => ({ ...session, access, refresh, until: expiresAt }),
  },
});

async function profiles(call: UnauthenticatedCall, tokens: Tokens): Promise<readonly Connected[]> {
  const wanted = wantedOf(call).split(' ');
  const { access, refresh, expiresAt: until, granted = wanted } = tokens;
  const { me, member, organizations, pages } = await readLogin({ ...call, session: { access } });
  const session = { access, refresh, until, member, scopes: granted, organizations };
  const name = me.name || me.sub;
  const profile = {
    platform_user_id: me.sub,
    username: name,
    name,
    profile_picture_url: me.picture,
    profile_url: `${call.hosts['www']!}/in/${me.sub}`,
    user_email: me.email,
    metadata: scopesOf(wanted, granted),
  };
  // Without a refresh token nothing can be done ahead of the end.
  return [{ profile, session, pages, expiresAt: refresh === undefined ? undefined : until }];
}
