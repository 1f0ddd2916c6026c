import * as z from 'zod';
import type { UnauthenticatedCall } from '../../call.ts';
import type { OAuthClient, OAuthConnect } from '../../connect.ts';
import { Id, Success } from '../../graph/api.ts';
import { exchangeErrors, longTokens } from '../../graph/login.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { text } from '../../shared/fields.ts';
import { codeFlow, scopesOf, type Tokens } from '../../shared/oauth.ts';
import { asUser, graph, sessionOf, type ThreadsSession } from '../api.ts';
import { errorOf } from '../errors.ts';

/** The scopes that publishing and inbox need. */
export const SCOPES: readonly string[] = Object.freeze([
  'threads_basic',
  'threads_content_publish',
  'threads_delete',
  'threads_manage_insights',
  'threads_manage_mentions',
  'threads_manage_replies',
  'threads_read_replies',
]);

const Me = z.object({
  id: Id,
  username: z.string(),
  name: text,
  threads_profile_picture_url: text,
  threads_biography: text,
  is_verified: z.boolean().optional().catch(undefined),
});
const Debugged = z.object({ data: z.object({ scopes: z.array(z.string()) }) });

const FLOW = Object.freeze({ slug: 'threads', title: 'Threads', prefix: 'th' });
const tokens = longTokens(FLOW, errorOf);

/** Connecting through the consent page of Threads: one login is one profile, whose token is renewed. */
export const connect = Object.freeze<OAuthConnect>({
  ...codeFlow({
    ...FLOW,
    authorize: { host: 'web', path: '/oauth/authorize' },
    token: { host: 'graph', path: '/oauth/access_token' },
    scopes: SCOPES,
    separator: ',',
    errorOf: exchangeErrors(FLOW, errorOf),
    profiles,
    async revoke(call) {
      // A rejected token counts as revoked.
      await unlessRefused(asUser(call, { method: 'DELETE', path: '/me/permissions' }, Success), 'auth');
    },
  }),
  async refresh(call) {
    const session = sessionOf(call.session);
    const { expiresAt, ...renewed } = await tokens.renew(call, session);
    return { session: { ...session, ...renewed } satisfies ThreadsSession, expiresAt };
  },
});

/** The profile of the login. The answer of the token endpoint names it by a number too long to be read exactly. */
async function profiles(
  call: UnauthenticatedCall,
  { access: brief }: Tokens,
  { client }: Readonly<{ client: OAuthClient }>,
) {
  const { expiresAt, ...issued } = await tokens.exchange(call, brief, client);
  const { token } = issued;
  const query = { fields: 'id,username,name,threads_profile_picture_url,threads_biography,is_verified' };
  const me = await graph(call, { method: 'GET', path: '/me', query, token }, Me);
  const debug = { method: 'GET', path: '/debug_token', query: { input_token: token }, token } as const;
  // Not every login may ask.
  const granted = (await unlessRefused(graph(call, debug, Debugged)))?.data.scopes;
  const profile = {
    platform_user_id: me.id,
    username: me.username,
    name: me.name || me.username,
    bio: me.threads_biography,
    profile_picture_url: me.threads_profile_picture_url,
    profile_url: `${call.hosts['web']!}/@${me.username}`,
    metadata: { ...(granted && scopesOf(SCOPES, granted)), is_verified: me.is_verified ?? false },
  };
  return [{ profile, session: { ...issued, user_id: me.id } satisfies ThreadsSession, expiresAt }];
}
