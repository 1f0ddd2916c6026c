import * as z from 'zod';
import { DAY } from '#kernel/clock.ts';
import { tableOf } from '#kernel/text/table.ts';
import type { AccountCall, UnauthenticatedCall } from '../call.ts';
import type { Connected, DirectConnect, OAuthConnect } from '../connect.ts';
import { refused, unclear } from '../shared/errors.ts';
import { count, flag, LongId, text } from '../shared/fields.ts';
import { type CodeFlow, codeFlow, storedTokens } from '../shared/oauth.ts';
import { requestWith, sessionOf, tell, type TikTokSession } from './api.ts';
import { tokenErrorOf } from './errors.ts';
import { creatorName } from './posts/creator.ts';
import { BUSINESS_SCOPES, PROFILE, SCOPES, STATS } from './scopes.ts';

/** Profile fields by the scope that they need. */
const FIELDS: ReadonlyMap<string, string> = tableOf({
  'user.info.basic': 'open_id,union_id,avatar_url,display_name',
  'user.info.profile': 'username,bio_description,is_verified',
  'user.info.stats': 'follower_count,following_count,likes_count,video_count',
});

const User = z.object({ open_id: LongId, username: text, display_name: text, avatar_url: text, bio_description: text });
const Known = z.object({ union_id: text, is_verified: flag });
const Counted = z.object({ follower_count: count, following_count: count, likes_count: count, video_count: count });
const Business = z.object({
  username: text,
  display_name: text,
  profile_image: text,
  bio_description: text,
  followers_count: count,
  is_business_account: flag,
});

type ProfileView = Readonly<{
  name: string | undefined;
  bio: string | undefined;
  picture: string | undefined;
  metadata: object;
}>;

/** Builds an account from the fields that both products return. */
function connected(
  { hosts }: UnauthenticatedCall,
  session: TikTokSession,
  { name, bio, picture, metadata }: ProfileView,
): Connected {
  const { open_id: platform_user_id, username } = session;
  const view = { username: username ?? platform_user_id, name: name ?? username ?? platform_user_id };
  const profile_url = username === undefined ? undefined : `${hosts['www']!}/@${username}`;
  const profile = {
    platform_user_id,
    ...view,
    bio,
    profile_picture_url: picture,
    profile_url,
    metadata: { ...metadata },
  };
  return { profile, session };
}

const common = Object.freeze({
  authorize: { host: 'www', path: '/v2/auth/authorize/' },
  separator: ',',
  clientField: 'client_key',
  refresh: storedTokens,
} satisfies Partial<CodeFlow>);

/** TikTok for Developers: one creator per login, with refresh tokens that change at each use. */
export const connect = Object.freeze<OAuthConnect>({
  ...codeFlow({
    ...common,
    slug: 'tiktok',
    title: 'TikTok',
    token: { host: 'api', path: '/v2/oauth/token/' },
    // TikTok requires this for desktop apps and accepts it from all others.
    pkce: 'hex',
    scopes: SCOPES,
    async profiles(call, { access: access_token, refresh: refresh_token, granted, expiresAt }) {
      const fields = granted
        .map((scope) => FIELDS.get(scope))
        .filter(Boolean)
        .join(',');
      const request = { method: 'GET', path: '/v2/user/info/', query: { fields } } as const;
      const { user } = await requestWith(
        { ...call, token: access_token },
        request,
        z.object({ user: z.looseObject({}) }),
      );
      const { open_id, display_name: name, avatar_url: picture, bio_description: bio, ...shown } = User.parse(user);
      const { union_id, is_verified } = Known.parse(user);
      const counts = granted.includes(STATS) && Counted.parse(user);
      const about = { union_id: union_id ?? null, ...(granted.includes(PROFILE) && { is_verified }), ...counts };
      const metadata = { ...about, ...SCOPES.reported(call.settings, granted) };
      const known = { access_token, refresh_token, open_id, scopes: granted };
      const session = { ...known, username: shown.username ?? (await creatorName({ ...call, session: known })) };
      return [{ ...connected(call, session, { name, bio, picture, metadata }), expiresAt }];
    },
    revoke: (call, { clientId: client_key, clientSecret: client_secret }) =>
      tell(call, '/v2/oauth/revoke/', {
        form: { client_key, client_secret, token: sessionOf(call.session).access_token },
      }),
  }),
  title: 'TikTok for Developers',
  // Both products use one callback address, and the API for Business requires the slash.
  callbackSlash: true,
});

const consent = codeFlow({
  ...common,
  slug: 'tiktok_business',
  title: 'TikTok API for Business',
  token: {
    host: 'business',
    path: '/open_api/v1.3/tt_user/oauth2/token/',
    refreshPath: '/open_api/v1.3/tt_user/oauth2/refresh_token/',
  },
  scopes: BUSINESS_SCOPES,
  send: 'json',
  extra: () => ({ disable_auto_auth: '1' }),
  // Fields that are undefined are omitted from the JSON.
  fields: ({ client_key, code, ...standard }) => ({ ...standard, client_id: client_key, auth_code: code }),
  tokensIn: (body) => (body as Readonly<{ data?: unknown }> | undefined)?.data,
  errorOf: tokenErrorOf,
  async profiles(call, { access: access_token, refresh: refresh_token, granted, expiresAt, more }) {
    const open_id = LongId.safeParse(more['open_id']).data;
    if (open_id === undefined) throw unclear();
    return [{ ...(await businessAccount(call, { access_token, refresh_token, open_id }, granted)), expiresAt }];
  },
  revoke(call, { clientId: client_id, clientSecret: client_secret }) {
    const json = { client_id, client_secret, access_token: sessionOf(call.session).access_token };
    return tell(call, '/tt_user/oauth2/revoke/', { json });
  },
});

async function businessAccount(
  call: UnauthenticatedCall,
  known: TikTokSession,
  granted: readonly string[] | undefined,
) {
  const { open_id: business_id, access_token: token } = known;
  const query = { business_id, fields: JSON.stringify(Object.keys(Business.shape)) };
  const found = await requestWith({ ...call, token }, { method: 'GET', path: '/business/get/', query }, Business);
  const { username, display_name: name, bio_description: bio, profile_image: picture, ...more } = found;
  const { followers_count: follower_count, is_business_account } = more;
  const metadata = { is_business_account, follower_count, ...BUSINESS_SCOPES.reported(call.settings, granted) };
  return { ...connected(call, { ...known, username }, { name, bio, picture, metadata }), kind: 'business' };
}

const Inspected = z.object({ creator_id: LongId, scope: z.union([z.string(), z.array(z.string())]).catch('') });

/** The age of a supplied key is unknown, so it is renewed within a day. */
const KEY_MS = DAY;

/** The app of the person who supplied a key; without an app the key expires with its access token. */
function appIn({ session }: AccountCall) {
  const { app, refresh_token } = sessionOf(session);
  if (app === undefined || refresh_token === undefined)
    throw refused('auth', 'The key has expired: provide a new one.');
  return { clientId: app.id, clientSecret: app.secret };
}

const field = (name: string, label: string, hint: string, required = false) =>
  ({ name, label, hint, type: name === 'app_id' ? 'text' : 'password', required }) as const;

/** Connects with an access token of the API for Business; the app is needed to renew it. */
const byKey = Object.freeze<DirectConnect>({
  kind: 'direct',
  form: [
    field(
      'apikey',
      'Access token',
      'Of the API for Business, for this TikTok account. Alone it is good for a day.',
      true,
    ),
    field('refresh_token', 'Refresh token', 'Issued with it.'),
    field('app_id', 'App ID', 'Of the app that made the tokens.'),
    field('app_secret', 'App secret', 'Needed to renew them.'),
  ],
  required: ['apikey'],
  async login(call, { apikey: access_token = '', refresh_token, app_id, app_secret }, own) {
    const id = app_id ?? own?.clientId;
    if (id === undefined)
      throw refused('invalid_request', 'app_id is required: the id of the app that issued the key.');
    if (refresh_token !== undefined && (app_id === undefined || app_secret === undefined))
      throw refused('invalid_request', 'refresh_token requires app_id and app_secret.');
    const request = { method: 'POST', path: '/tt_user/token_info/get/', json: { app_id: id, access_token } } as const;
    const { creator_id: open_id, scope } = await requestWith(call, request, Inspected);
    const app = refresh_token === undefined ? undefined : { id, secret: app_secret! };
    const granted = [scope]
      .flat()
      .join(' ')
      .split(/[\s,]+/)
      .filter(Boolean);
    const known = { access_token, refresh_token, open_id, app };
    const account = await businessAccount(call, known, granted.length > 0 ? granted : undefined);
    return { ...account, expiresAt: app && call.now() + KEY_MS };
  },
  refresh: async (call) => consent.refresh!(call, appIn(call)),
  revoke: async (call) => consent.revoke!(call, appIn(call)),
});

/** The API for Business: by consent to its own app, or with a supplied key. */
export const businessConnect = Object.freeze<OAuthConnect>({
  ...consent,
  title: 'TikTok API for Business',
  app: 'tiktok_business',
  callbackSlash: true,
  byKey,
});
