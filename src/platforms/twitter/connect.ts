import * as z from 'zod';
import type { UnauthenticatedCall } from '../call.ts';
import { PUBLISHING, READING_COMMENTS, SENDING_MESSAGES } from '../app/capabilities.ts';
import type { Connected, OAuthConnect } from '../connect.ts';
import { isNamed, isRefused, refusedApp, unclear } from '../shared/errors.ts';
import { anything, dataOf, flag, text } from '../shared/fields.ts';
import { basicHeader, codeFlow, storedTokens, type Tokens } from '../shared/oauth.ts';
import { declareScopes } from '../shared/scopes.ts';
import { appToken, requestWith, Id, sessionOf } from './api.ts';
import { tokenErrorOf } from './errors.ts';

const SCOPES = declareScopes({
  setting: 'TWITTER_SCOPES',
  title: 'X',
  losses: {
    'tweet.read': 'Posts, comments and mentions cannot be read.',
    'tweet.write': 'Posts and comments cannot be written or deleted.',
    'tweet.moderate.write': 'Comments cannot be hidden.',
    'users.read': 'The account cannot be connected.',
    'media.write': 'Posts and messages cannot have images and videos.',
    'dm.read': 'Messages cannot be read.',
    'dm.write': 'Messages cannot be sent.',
    'offline.access': 'The account cannot be connected.',
  },
  needs: [
    [['sync of posts', 'post metrics', ...READING_COMMENTS, 'list mentions'], 'tweet.read'],
    [[...PUBLISHING, 'unpublish', 'reply to a comment', 'delete a comment', 'reply to a mention'], 'tweet.write'],
    [['hide a comment'], 'tweet.moderate.write'],
    [['post images', 'post video', 'several images', 'message with image', 'message with video'], 'media.write'],
    [['read conversations'], 'dm.read'],
    [SENDING_MESSAGES, 'dm.write'],
  ],
});
const FIELDS = 'id,name,username,profile_image_url,description,verified,public_metrics';

const UNENROLLED = 'The plan of the app on X does not let it read who logged in.';

const Me = z.object({
  id: Id,
  name: z.string(),
  username: z.string().min(1),
  description: text,
  profile_image_url: text,
  verified: flag,
  public_metrics: z.record(z.string(), z.number()).catch({}),
});

async function profiles(call: UnauthenticatedCall, tokens: Tokens): Promise<readonly Connected[]> {
  const { access, refresh, expiresAt, granted } = tokens;
  if (refresh === undefined) throw unclear('X returned no refresh token.');
  const request = { method: 'GET', path: '/2/users/me', query: { 'user.fields': FIELDS } } as const;
  const me = await requestWith({ ...call, token: access }, request, dataOf(Me)).catch((error: unknown) => {
    throw isNamed(error, 'client-forbidden') ? refusedApp('byok.credentials_forbidden', UNENROLLED, error) : error;
  });
  const profile = {
    platform_user_id: me.id,
    username: me.username,
    name: me.name,
    bio: me.description,
    profile_picture_url: me.profile_image_url,
    profile_url: `${call.hosts['web']!}/${me.username}`,
    metadata: { verified: me.verified, ...me.public_metrics, ...SCOPES.reported(call.settings, granted) },
  };
  const session = { access_token: access, refresh_token: refresh, user_id: me.id, username: me.username };
  return [{ profile, session, expiresAt }];
}

const flow = codeFlow({
  slug: 'twitter',
  title: 'X',
  authorize: { host: 'web', path: '/i/oauth2/authorize' },
  token: { host: 'api', path: '/2/oauth2/token' },
  scopes: SCOPES,
  separator: ' ',
  auth: 'basic',
  pkce: 'S256',
  errorOf: tokenErrorOf,
  profiles,
  refresh: storedTokens,
  async revoke(call, { clientId, clientSecret }) {
    const form = {
      token: sessionOf(call.session).refresh_token,
      client_id: clientId,
      token_type_hint: 'refresh_token',
    };
    const headers = basicHeader(clientId, clientSecret);
    await requestWith(call, { method: 'POST', path: '/2/oauth2/revoke', form, headers }, anything);
  },
});

const NOT_A_CODE = { params: { code: 'test' }, secrets: { verifier: 'test' }, callback: 'https://localhost/' };

/** Connects with a customer's own app. If a rotated refresh token is lost, a new consent is required. */
export const connect: OAuthConnect = {
  ...flow,
  customerApps: {
    secrets: ['consumer_key', 'consumer_secret'],
    storedBy: 'set_twitter_credentials',
    pushSecret: 'consumer_secret',
    /** Redeems an invalid code: X reports wrong credentials with a different error than a wrong code. */
    async check(call, client) {
      try {
        await appToken(call, client);
        await flow.finish(call, { ...NOT_A_CODE, client, metadata: {} });
      } catch (error) {
        if (isRefused(error, 'invalid_request')) return { valid: true, reason: null };
        if (isRefused(error)) return { valid: false, reason: `X does not accept these credentials: ${error.message}` };
        throw error;
      }
      throw unclear();
    },
  },
};
