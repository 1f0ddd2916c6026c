import * as z from 'zod';
import type { UnauthenticatedCall } from '../../call.ts';
import type { OAuthClient } from '../../connect.ts';
import { Id, makeGraph, Success, VERSION } from '../../graph/api.ts';
import { exchangeErrors } from '../../graph/login.ts';
import { grantedScopes } from '../../graph/permissions.ts';
import { refused, unlessRefused } from '../../shared/errors.ts';
import { codeFlow, scopesOf, type Tokens } from '../../shared/oauth.ts';
import { path } from '../../shared/rest.ts';
import { asUser, graph } from '../api.ts';
import { errorOf } from '../errors.ts';
import { grantedPages } from './pages.ts';
import type { FacebookSession } from './session.ts';

/** The scopes that inbox and publishing need (platforms-a §2.1). */
export const SCOPES: readonly string[] = Object.freeze([
  'pages_show_list',
  'pages_read_engagement',
  'pages_read_user_content',
  'pages_manage_posts',
  'pages_manage_engagement',
  'pages_manage_metadata',
  'pages_messaging',
  'read_insights',
  'business_management',
]);

const MOST_MS = 400 * 24 * 3_600_000;

const Token = z.object({
  access_token: z.string().min(1).max(4096),
  expires_in: z.number().optional().catch(undefined),
});
const Me = z.object({
  id: Id,
  name: z.string().catch(''),
  picture: z
    .object({ data: z.object({ url: z.string() }) })
    .optional()
    .catch(undefined),
});

const FLOW = Object.freeze({ slug: 'facebook', title: 'Facebook' });
const exchangeError = exchangeErrors(FLOW, errorOf);
const exchanges = makeGraph(exchangeError);

/** Connecting through Facebook's consent dialog: one login with all granted pages. */
export const connect = codeFlow({
  ...FLOW,
  authorize: { host: 'web', path: `/${VERSION}/dialog/oauth` },
  token: { host: 'graph', path: `/${VERSION}/oauth/access_token` },
  scopes: SCOPES,
  separator: ',',
  send: 'query',
  // Asks for declined rights again; without this the dialog never offers them.
  extra: () => ({ auth_type: 'rerequest' }),
  fields: (standard) => ({ ...standard, grant_type: undefined }),
  errorOf: exchangeError,
  profiles,
  async revoke(call) {
    // A rejected token counts as revoked.
    await unlessRefused(asUser(call, { method: 'DELETE', path: '/me/permissions' }, Success), 'auth');
  },
});

/** The login, with a token that lives 60 days and the tokens of its pages. */
async function profiles(
  call: UnauthenticatedCall,
  { access: brief }: Tokens,
  { client }: Readonly<{ client: OAuthClient }>,
) {
  const { access_token: token, expires_in: seconds = 0 } = await longLived(call, brief, client);
  const me = await graph(call, { method: 'GET', path: '/me', query: { fields: 'id,name,picture' }, token }, Me);
  const granted = await grantedScopes((ask, schema) => graph(call, { ...ask, token }, schema));
  const { pages, tokens } = await grantedPages(call, token);
  if (pages.length === 0) throw refused('no_pages');

  const lifeMs = seconds * 1000;
  const profile = {
    platform_user_id: me.id,
    username: me.name || me.id,
    name: me.name || me.id,
    profile_picture_url: me.picture?.data.url,
    profile_url: `${call.hosts['web']!}/${me.id}`,
    metadata: {
      ...scopesOf(SCOPES, granted),
      login_expires_at: lifeMs > 0 && lifeMs < MOST_MS ? new Date(call.now() + lifeMs).toISOString() : null,
    },
  };
  const app_id = client.clientId;
  const session = { user_token: token, user_id: me.id, app_id, pages: tokens } satisfies FacebookSession;
  // No expiry time: nothing can be refreshed, and page tokens outlive the user token.
  return [{ profile, session, pages }];
}

function longLived(call: UnauthenticatedCall, brief: string, { clientId, clientSecret }: OAuthClient) {
  const query = {
    grant_type: 'fb_exchange_token',
    client_id: clientId,
    client_secret: clientSecret,
    fb_exchange_token: brief,
  };
  return exchanges.get(call, path`/oauth/access_token`, Token, { query });
}
