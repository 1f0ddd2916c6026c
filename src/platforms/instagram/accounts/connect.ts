import * as z from 'zod';
import type { AccountCall, Hosts, UnauthenticatedCall } from '../../call.ts';
import type { Connected, OAuthClient, OAuthConnect, Profile } from '../../connect.ts';
import type { PlatformError } from '../../errors.ts';
import { Changed, Id } from '../../graph/api.ts';
import { dialogConnect, type DialogLogin, pageLister } from '../../graph/dialog.ts';
import { exchangeErrors, longTokens } from '../../graph/login.ts';
import { refused, unlessRefused } from '../../shared/errors.ts';
import { text } from '../../shared/fields.ts';
import { codeFlow, scopesOf, type Tokens, wrongClient, wrongCode } from '../../shared/oauth.ts';
import type { Answer } from '../../shared/rest.ts';
import { asAccount, graph } from '../api.ts';
import { errorOf } from '../errors.ts';
import { type InstagramSession, sessionOf } from './session.ts';

const FLOW = Object.freeze({ slug: 'instagram', title: 'Instagram' } as const);

export const SCOPES: readonly string[] = Object.freeze([
  'instagram_business_basic',
  'instagram_business_content_publish',
  'instagram_business_manage_comments',
  'instagram_business_manage_messages',
  'instagram_business_manage_insights',
]);

/** The same by Facebook login, where the account is reached by its Page. */
export const PAGE_SCOPES: readonly string[] = Object.freeze([
  'instagram_basic',
  'instagram_content_publish',
  'instagram_manage_comments',
  'instagram_manage_messages',
  'instagram_manage_insights',
  'instagram_manage_contents',
  'instagram_manage_engagement',
  'pages_show_list',
  'pages_read_engagement',
  'pages_manage_metadata',
  'pages_messaging',
  'business_management',
]);

const Described = z.object({ username: text, name: text, biography: text, profile_picture_url: text });
const Me = Described.extend({ user_id: Id, id: Id, account_type: text });
/** Between commas, or in a list. */
const Permissions = z.union([z.array(z.string()), z.string().transform((all) => all.split(','))]).catch([]);
const Page = z.object({
  id: Id,
  name: z.string().catch(''),
  access_token: z.string().min(1).optional().catch(undefined),
  instagram_business_account: Described.extend({ id: Id }).optional().catch(undefined),
});
const PAGE_FIELDS = 'id,name,access_token,instagram_business_account{id,username,name,biography,profile_picture_url}';

const tokens = longTokens({ ...FLOW, prefix: 'ig' }, errorOf);
const shownPages = pageLister({ request: graph }, { fields: PAGE_FIELDS, page: Page, host: 'facebook' });

/** Connecting by Instagram's own consent page: one account, without a Page. */
export const connect: OAuthConnect = Object.freeze({
  ...codeFlow({
    ...FLOW,
    authorize: { host: 'web', path: '/oauth/authorize' },
    token: { host: 'api', path: '/oauth/access_token' },
    scopes: SCOPES,
    separator: ',',
    // The documentation has the tokens in a list, most answers do not.
    tokensIn: (body) => (body as { data?: readonly unknown[] } | undefined)?.data?.[0] ?? body,
    errorOf: codeError,
    profiles: accountOf,
    async revoke(call) {
      // No end of a grant is documented; that of Facebook's is tried.
      await unlessRefused(asAccount(call, { method: 'DELETE', path: '/me/permissions' }, Changed), 'auth');
    },
  }),
  async refresh(call: AccountCall) {
    const session = sessionOf(call.session);
    const { expiresAt, ...fresh } = await tokens.renew(call, { issued_at: 0, ...session });
    return { session: { ...session, ...fresh } satisfies InstagramSession, expiresAt };
  },
});

/** Connecting by Facebook's dialog: every account that is linked to a granted Page. */
export const pageConnect: OAuthConnect = Object.freeze({
  ...dialogConnect({
    scopes: PAGE_SCOPES,
    hosts: { dialog: 'dialog', graph: 'facebook' },
    errorOf,
    profiles: linkedAccounts,
    tokenOf: ({ session }) => sessionOf(session).user_token ?? '',
  }),
  title: 'Facebook',
  app: 'facebook',
});

const exchangeError = exchangeErrors(FLOW, errorOf);

/** The host of codes has errors of a form of its own. */
function codeError(answer: Answer): PlatformError | undefined {
  const { error_message: why } = (answer.body ?? {}) as { error_message?: unknown };
  if (typeof why !== 'string' || answer.status !== 400) return exchangeError(answer);
  const upstream = why.slice(0, 300);
  const said = refused('invalid_request', undefined, { status: answer.status, upstream });
  return /client|platform app/i.test(why) ? wrongClient(FLOW, said) : wrongCode(FLOW, said);
}

async function accountOf(
  call: UnauthenticatedCall,
  { access, more }: Tokens,
  { client }: Readonly<{ client: OAuthClient }>,
): Promise<readonly Connected[]> {
  const { expiresAt, ...long } = await tokens.exchange(call, access, client);
  const fields = 'user_id,id,username,name,account_type,biography,profile_picture_url';
  const me = await graph(call, { method: 'GET', path: '/me', query: { fields }, token: long.token }, Me);
  const session: InstagramSession = { ...long, user_id: me.user_id, login_id: me.id };
  const granted = Permissions.parse(more['permissions']);
  const metadata = { account_type: me.account_type ?? null, ...scopesOf(SCOPES, granted) };
  return [{ profile: profileOf(call.hosts, me, { id: me.user_id, login_id: me.id, metadata }), session, expiresAt }];
}

async function linkedAccounts(
  call: UnauthenticatedCall,
  { token, me, metadata, grant }: DialogLogin,
): Promise<readonly Connected[]> {
  const { found } = await shownPages(call, token);
  const linked = new Map(
    found.flatMap(({ id: page_id, name, access_token, instagram_business_account: account }) => {
      if (account === undefined || access_token === undefined) return [];
      const login = { user_id: account.id, login_id: me.id, page_id, user_token: token };
      const session: InstagramSession = { ...login, token: access_token };
      const about = { id: account.id, login_id: me.id, metadata: { ...metadata, page_id, page_name: name } };
      return [[account.id, { kind: 'facebook', profile: profileOf(call.hosts, account, about), session, grant }]];
    }),
  );
  if (linked.size === 0) {
    const why = found.length === 0 ? undefined : 'No Page of this login is linked to a professional Instagram account.';
    throw refused('no_pages', why);
  }
  return [...linked.values()];
}

function profileOf(
  hosts: Hosts,
  { username, name, biography, profile_picture_url }: z.output<typeof Described>,
  { id, login_id, metadata }: Readonly<{ id: string; login_id: string; metadata: object }>,
): Profile {
  return {
    platform_user_id: id,
    username: username ?? id,
    name: name ?? username ?? id,
    bio: biography,
    profile_picture_url,
    profile_url: username === undefined ? undefined : `${hosts['web']!}/${username}/`,
    metadata: { ...metadata, login_id },
  };
}
