import * as z from 'zod';
import type { AccountCall, UnauthenticatedCall } from '../../call.ts';
import type { Connected, OAuthConnect } from '../../connect.ts';
import { PlatformError } from '../../errors.ts';
import { Id, listOf, Success, VERSION } from '../../graph/api.ts';
import { isGraph } from '../../graph/errors.ts';
import { grantedPages } from './pages.ts';
import type { FacebookSession } from './session.ts';
import { asUser, graph } from '../api.ts';
import { refused, unlessRefused } from '../../shared/errors.ts';

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
const Permissions = listOf(z.object({ permission: z.string(), status: z.string() }));

/** Connecting through Facebook's consent dialog: one login with all granted pages. */
export const connect = Object.freeze<OAuthConnect>({ kind: 'oauth', begin, finish, revoke });

async function begin(call: UnauthenticatedCall, ask: Parameters<OAuthConnect['begin']>[1]) {
  const query = new URLSearchParams({
    client_id: ask.client.clientId,
    redirect_uri: ask.callback,
    state: ask.state,
    response_type: 'code',
    scope: SCOPES.join(','),
    // Asks for declined rights again; without this the dialog never offers them.
    auth_type: 'rerequest',
  });
  return { url: `${call.hosts['web']!}/${VERSION}/dialog/oauth?${query.toString()}`, secrets: {} };
}

async function finish(
  call: UnauthenticatedCall,
  back: Parameters<OAuthConnect['finish']>[1],
): Promise<readonly Connected[]> {
  const code = codeOf(back.params);
  const { clientId: client_id, clientSecret: client_secret } = back.client;
  const first = { client_id, client_secret, redirect_uri: back.callback, code };
  const { access_token: brief } = await exchange(call, first);
  const second = { grant_type: 'fb_exchange_token', client_id, client_secret, fb_exchange_token: brief };
  const { access_token: token, expires_in: seconds } = await exchange(call, second);

  const me = await graph(call, { method: 'GET', path: '/me', query: { fields: 'id,name,picture' }, token }, Me);
  const { data: permissions } = await graph(call, { method: 'GET', path: '/me/permissions', token }, Permissions);
  const granted = permissions.filter(({ status }) => status === 'granted').map(({ permission }) => permission);
  const { pages, tokens } = await grantedPages(call, token);
  if (pages.length === 0) throw refused('no_pages');

  const lifeMs = seconds === undefined ? 0 : seconds * 1000;
  const profile = {
    platform_user_id: me.id,
    username: me.name || me.id,
    name: me.name || me.id,
    profile_picture_url: me.picture?.data.url,
    profile_url: `${call.hosts['web']!}/${me.id}`,
    metadata: {
      scopes_granted: granted,
      scopes_missing: SCOPES.filter((scope) => !granted.includes(scope)),
      login_expires_at: lifeMs > 0 && lifeMs < MOST_MS ? new Date(call.now() + lifeMs).toISOString() : null,
    },
  };
  const session = { user_token: token, user_id: me.id, app_id: client_id, pages: tokens } satisfies FacebookSession;
  // No expiry time: nothing can be refreshed, and page tokens outlive the user token.
  return [{ profile, session, pages }];
}

async function revoke(call: AccountCall): Promise<void> {
  // A rejected token counts as revoked.
  await unlessRefused(asUser(call, { method: 'DELETE', path: '/me/permissions' }, Success), 'auth');
}

/** The code; throws the reason if the dialog returned none. */
function codeOf(params: Readonly<Record<string, string>>): string {
  const { code, error, error_reason: reason, error_code: number, error_message: message } = params;
  if (error === undefined && number === undefined && code !== undefined && code !== '') return code;
  const declined = error === 'access_denied' || reason === 'user_denied';
  const upstream = [error, reason, number, params['error_description'] ?? message]
    .filter(Boolean)
    .join(' ')
    .slice(0, 300);
  throw declined
    ? new PlatformError('refused', 'permission_denied', 'The request was declined on Facebook.', { upstream })
    : new PlatformError('refused', 'invalid_request', 'Facebook ended the login without a code.', { upstream });
}

async function exchange(
  call: UnauthenticatedCall,
  query: Readonly<Record<string, string>>,
): Promise<z.output<typeof Token>> {
  try {
    return await graph(call, { method: 'GET', path: '/oauth/access_token', query }, Token);
  } catch (error) {
    throw wrongClient(error) ?? wrongCode(error) ?? error;
  }
}

/** Only here the code of "something failed" means wrong app credentials, as its message says. */
function wrongClient(error: unknown): PlatformError | undefined {
  const wrong = isGraph(error, 101) || (isGraph(error, 1) && /client secret/i.test(error.upstream ?? ''));
  if (!wrong) return undefined;
  const message = 'Facebook knows no such app: check FACEBOOK_CLIENT_ID and FACEBOOK_CLIENT_SECRET.';
  const { upstream = '' } = error;
  return new PlatformError('refused', 'permission_denied', message, { upstream, cause: error });
}

function wrongCode(error: unknown): PlatformError | undefined {
  if (!isGraph(error, 100)) return undefined;
  const { upstream = '' } = error;
  const message = 'Facebook does not take this code (any more): begin again.';
  return new PlatformError('refused', 'invalid_request', message, { upstream, cause: error });
}
