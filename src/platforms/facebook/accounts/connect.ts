import type { UnauthenticatedCall } from '../../call.ts';
import { dialogConnect, type DialogLogin } from '../../graph/dialog.ts';
import { refused } from '../../shared/errors.ts';
import { errorOf } from '../errors.ts';
import { grantedPages } from './pages.ts';
import { type FacebookSession, sessionOf } from './session.ts';

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

/** Connecting through Facebook's consent dialog: one login with all granted pages. */
export const connect = dialogConnect({
  scopes: SCOPES,
  hosts: { dialog: 'web', graph: 'graph' },
  errorOf,
  profiles,
  tokenOf: ({ session }) => sessionOf(session).user_token,
});

/** The login, with the tokens of its pages. */
async function profiles(call: UnauthenticatedCall, { token, me, client, metadata, grant }: DialogLogin) {
  const { pages, tokens } = await grantedPages(call, token);
  if (pages.length === 0) throw refused('no_pages');
  const profile = {
    platform_user_id: me.id,
    username: me.name || me.id,
    name: me.name || me.id,
    profile_picture_url: me.picture?.data.url,
    profile_url: `${call.hosts['web']!}/${me.id}`,
    metadata,
  };
  const app_id = client.clientId;
  const session = { user_token: token, user_id: me.id, app_id, pages: tokens } satisfies FacebookSession;
  // No expiry time: nothing can be refreshed, and page tokens outlive the user token.
  return [{ profile, session, pages, grant }];
}
