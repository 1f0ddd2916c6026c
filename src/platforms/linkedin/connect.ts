import type { UnauthenticatedCall } from '../call.ts';
import type { Connected } from '../connect.ts';
import { codeFlow, type Tokens } from '../shared/oauth.ts';
import { sessionOf } from './api.ts';
import { readLogin } from './pages.ts';
import { SCOPES } from './scopes.ts';

/** Connects by a member's consent; one login includes the pages of organizations that the member manages. */
export const connect = codeFlow({
  slug: 'linkedin',
  title: 'LinkedIn',
  authorize: { host: 'www', path: '/oauth/v2/authorization' },
  token: { host: 'oauth', path: '/oauth/v2/accessToken' },
  scopes: SCOPES,
  separator: ' ',
  over: /expired|revoked|refresh token|authorization code/i,
  profiles,
  refresh: {
    tokenOf: (session) => sessionOf(session).refresh,
    renew: (session, { access, refresh, expiresAt }) => ({ ...session, access, refresh, until: expiresAt }),
  },
});

async function profiles(call: UnauthenticatedCall, tokens: Tokens): Promise<readonly Connected[]> {
  const { access, refresh, expiresAt: until, granted } = tokens;
  const { me, member, organizations, pages } = await readLogin({ ...call, session: { access } }, { scopes: granted });
  const session = { access, refresh, until, member, scopes: granted, organizations };
  const name = me.name || me.id;
  const profile = {
    platform_user_id: me.id,
    username: name,
    name,
    profile_picture_url: me.picture,
    // A member without a vanity name has no public URL.
    profile_url: me.vanity && `${call.hosts['www']!}/in/${me.vanity}`,
    user_email: me.email,
    metadata: SCOPES.reported(call.settings, granted),
  };
  // Without a refresh token there is no expiry to act on, because nothing can be renewed early.
  return [{ profile, session, pages, expiresAt: refresh === undefined ? undefined : until }];
}
