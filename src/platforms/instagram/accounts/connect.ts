import * as z from 'zod';
import type { Hosts, UnauthenticatedCall } from '../../call.ts';
import { ANSWERING_COMMENTS, MESSAGING, PUBLISHING, READING_COMMENTS } from '../../app/capabilities.ts';
import type { Connected, OAuthConnect, Profile } from '../../connect.ts';
import { Id } from '../../graph/api.ts';
import { configSetting, dialogConnect, type DialogLogin, pageLister } from '../../graph/dialog.ts';
import { longConnect } from '../../graph/login.ts';
import { refused } from '../../shared/errors.ts';
import { text } from '../../shared/fields.ts';
import { declareScopes } from '../../shared/scopes.ts';
import { graph, type InstagramSession, sessionOf } from '../api.ts';
import { errorOf } from '../errors.ts';

const NOTHING = 'The account cannot be read, and nothing else works.';
const UNPUBLISHED = 'Posts cannot be published.';
const NO_COMMENTS = 'Comments cannot be read or answered.';
const NO_MESSAGES = 'Messages cannot be read or answered.';
const NO_NUMBERS = 'Posts have no metrics besides likes and comments.';
const COMMENTS = [...READING_COMMENTS, ...ANSWERING_COMMENTS, 'list mentions'] as const;

export const SCOPES = declareScopes({
  setting: 'INSTAGRAM_SCOPES',
  title: 'Instagram',
  losses: {
    instagram_business_basic: NOTHING,
    instagram_business_content_publish: UNPUBLISHED,
    instagram_business_manage_comments: NO_COMMENTS,
    instagram_business_manage_messages: NO_MESSAGES,
    instagram_business_manage_insights: NO_NUMBERS,
  },
  needs: [
    [PUBLISHING, 'instagram_business_content_publish'],
    [COMMENTS, 'instagram_business_manage_comments'],
    [MESSAGING, 'instagram_business_manage_messages'],
  ],
});

const LINKED = {
  instagram_basic: NOTHING,
  instagram_content_publish: UNPUBLISHED,
  instagram_manage_comments: NO_COMMENTS,
  instagram_manage_messages: NO_MESSAGES,
  instagram_manage_insights: NO_NUMBERS,
  instagram_manage_contents: 'Posts cannot be deleted.',
  pages_show_list: 'No account is found.',
  pages_read_engagement: 'The Pages that accounts are linked to cannot be read.',
  pages_manage_metadata: 'Comments and messages do not arrive automatically.',
  pages_messaging: NO_MESSAGES,
  business_management: 'Accounts whose Page belongs to a business portfolio may not be found.',
};

/** Scopes of Facebook login, which reaches an account through its Page. */
export const PAGE_SCOPES = declareScopes({
  setting: 'INSTAGRAM_FACEBOOK_SCOPES',
  title: 'Facebook, for Instagram',
  config: configSetting({
    name: 'INSTAGRAM_CONFIG_ID',
    meaning:
      'The configuration of Facebook Login for Business, with user access tokens, for Instagram by Facebook login: ' +
      'the dialog asks for what it lists, and not for INSTAGRAM_FACEBOOK_SCOPES.',
  }),
  // Meta grants the last of these scopes to few apps.
  losses: { ...LINKED, instagram_manage_engagement: 'Comments cannot be liked.' },
  needs: [
    [PUBLISHING, 'instagram_content_publish'],
    [COMMENTS, 'instagram_manage_comments'],
    [MESSAGING, 'instagram_manage_messages'],
    [MESSAGING, 'pages_messaging'],
    [['unpublish'], 'instagram_manage_contents'],
    [['like a comment'], 'instagram_manage_engagement'],
  ],
  requestedScopes: Object.keys(LINKED),
});

const Described = z.object({ username: text, name: text, biography: text, profile_picture_url: text });
const Me = Described.extend({ user_id: Id, id: Id, account_type: text });
/** The permissions, as a list or as a text with commas. */
const Permissions = z
  .union([z.array(z.string()), z.string().transform((all) => all.split(','))])
  .optional()
  .catch(undefined);
const Page = z.object({
  id: Id,
  name: z.string().catch(''),
  access_token: z.string().min(1).optional().catch(undefined),
  instagram_business_account: Described.extend({ id: Id }).optional().catch(undefined),
});
const PAGE_FIELDS = 'id,name,access_token,instagram_business_account{id,username,name,biography,profile_picture_url}';

const visiblePages = pageLister({ request: graph }, { fields: PAGE_FIELDS, page: Page, host: 'facebook' });

/** Connects by Instagram's own consent page; a login is one account, which needs no Page. */
export const connect = longConnect({
  slug: 'instagram',
  title: 'Instagram',
  prefix: 'ig',
  token: { host: 'api', path: '/oauth/access_token' },
  scopes: SCOPES,
  request: graph,
  errorOf,
  sessionOf,
  // In the documentation the tokens are in a list, but most responses have no list.
  tokensIn: (body) => (body as { data?: readonly unknown[] } | undefined)?.data?.[0] ?? body,
  me: { fields: 'user_id,id,username,name,account_type,biography,profile_picture_url', item: Me },
  async account({ hosts, settings }, { me, issued, more }) {
    const granted = Permissions.parse(more['permissions']);
    const metadata = { account_type: me.account_type ?? null, ...SCOPES.reported(settings, granted) };
    const session: InstagramSession = { ...issued, user_id: me.user_id, login_id: me.id };
    return { profile: profileOf(hosts, me, { id: me.user_id, login_id: me.id, metadata }), session };
  },
});

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

async function linkedAccounts(
  call: UnauthenticatedCall,
  { token, me, metadata, grant }: DialogLogin,
): Promise<readonly Connected[]> {
  const { found } = await visiblePages(call, token);
  const linked = new Map(
    found.flatMap(({ id: page_id, name, access_token, instagram_business_account: account }) => {
      if (account === undefined || access_token === undefined) return [];
      const login = { login_id: me.id, page_id, user_token: token };
      const session: InstagramSession = { ...login, user_id: account.id, token: access_token };
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
