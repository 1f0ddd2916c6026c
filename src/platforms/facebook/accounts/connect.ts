import type { UnauthenticatedCall } from '../../call.ts';
import { ANSWERING_COMMENTS, MESSAGING, PUBLISHING, READING_COMMENTS } from '../../app/capabilities.ts';
import { configSetting, dialogConnect, type DialogLogin } from '../../graph/dialog.ts';
import { refused } from '../../shared/errors.ts';
import { declareScopes } from '../../shared/scopes.ts';
import { errorOf } from '../errors.ts';
import { grantedPages } from './pages.ts';
import { type FacebookSession, sessionOf } from './session.ts';

export const SCOPES = declareScopes({
  setting: 'FACEBOOK_SCOPES',
  title: 'Facebook',
  config: configSetting({
    name: 'FACEBOOK_CONFIG_ID',
    meaning:
      'The configuration of Facebook Login for Business, with user access tokens: the dialog asks for what it lists, ' +
      'and not for FACEBOOK_SCOPES.',
  }),
  losses: {
    pages_show_list: 'No Page is found.',
    pages_read_engagement: 'Posts of the Pages and their metrics cannot be read.',
    pages_read_user_content: 'Comments and mentions by other people cannot be read.',
    pages_manage_posts: 'Posts cannot be published or deleted.',
    pages_manage_engagement: 'Comments cannot be answered, hidden, liked or deleted.',
    pages_manage_metadata: 'Comments and messages do not arrive automatically.',
    pages_messaging: 'Messages cannot be read or answered.',
    read_insights: 'Posts have no views, reach and clicks.',
    business_management: 'Pages that belong to a business portfolio may not be found.',
  },
  needs: [
    [['sync of posts', 'post metrics'], 'pages_read_engagement'],
    [[...READING_COMMENTS, 'list mentions'], 'pages_read_user_content'],
    [[...PUBLISHING, 'unpublish'], 'pages_manage_posts'],
    [ANSWERING_COMMENTS, 'pages_manage_engagement'],
    [MESSAGING, 'pages_messaging'],
  ],
});

/** Connects through Facebook's consent dialog; one login covers all granted pages. */
export const connect = dialogConnect({
  scopes: SCOPES,
  hosts: { dialog: 'web', graph: 'graph' },
  errorOf,
  profiles,
  tokenOf: ({ session }) => sessionOf(session).user_token,
});

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
  // There is no expiry, because nothing can be refreshed and page tokens outlive the user token.
  return [{ profile, session, pages, grant }];
}
