import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { PUBLISHING } from '../app/capabilities.ts';
import type { OAuthConnect } from '../connect.ts';
import { count, text } from '../shared/fields.ts';
import { codeFlow, storedTokens } from '../shared/oauth.ts';
import { declareScopes } from '../shared/scopes.ts';
import { tokenErrorOf } from './errors.ts';
import { answerTo, requestWith, type PinterestSession } from './api.ts';

/** The scopes; secret boards are listed and can receive pins like any others. */
const SCOPES = declareScopes({
  setting: 'PINTEREST_SCOPES',
  title: 'Pinterest',
  losses: {
    'boards:read': 'Boards cannot be listed, and so nothing can be pinned.',
    'boards:read_secret': 'Secret boards are not listed.',
    'boards:write': 'Pins cannot be made.',
    'boards:write_secret': 'Pins cannot be made on secret boards.',
    'pins:read': 'Pins and their metrics cannot be read.',
    'pins:read_secret': 'Pins on secret boards cannot be read.',
    'pins:write': 'Pins cannot be made or deleted.',
    'pins:write_secret': 'Pins cannot be made on secret boards.',
    'user_accounts:read': 'The account cannot be connected.',
  },
  needs: [
    [PUBLISHING, 'boards:read'],
    [PUBLISHING, 'boards:write'],
    [[...PUBLISHING, 'unpublish'], 'pins:write'],
    [['sync of posts', 'post metrics'], 'pins:read'],
  ],
});

const User = z.object({
  id: text,
  username: z.string().min(1),
  account_type: text,
  business_name: text,
  about: text,
  profile_image: text,
  website_url: text,
  board_count: count,
  pin_count: count,
  follower_count: count,
  monthly_views: count,
});

/** One account per login; access tokens last 30 days, and the refresh tokens for them last 60. */
export const connect: OAuthConnect = codeFlow({
  slug: 'pinterest',
  title: 'Pinterest',
  authorize: { host: 'www', path: '/oauth/' },
  token: { host: 'api', path: '/v5/oauth/token' },
  scopes: SCOPES,
  separator: ',',
  auth: 'basic',
  // Without this, apps from before September 2025 get a refresh token that cannot be renewed.
  fields: (standard, grant) => ({ ...standard, ...(grant === 'code' && { continuous_refresh: true }) }),
  errorOf: tokenErrorOf,
  async profiles(call, { access, refresh, granted, expiresAt }) {
    const user = await requestWith({ ...call, token: access }, { method: 'GET', path: '/user_account' }, User);
    const { id, username, business_name, about, profile_image, website_url, ...counted } = user;
    const session: PinterestSession = { access_token: access, refresh_token: refresh };
    const profile = {
      platform_user_id: id ?? username,
      username,
      name: business_name || username,
      bio: about,
      profile_picture_url: profile_image,
      profile_url: `${call.hosts['www']!}/${username}/`,
      metadata: { ...counted, ...(website_url && { website_url }), ...SCOPES.reported(call.settings, granted) },
    };
    return [{ profile, session, expiresAt }];
  },
  refresh: storedTokens,
});

export async function limits(call: AccountCall): Promise<Readonly<Record<string, number>>> {
  const { headers } = await answerTo(call, { method: 'GET', path: '/user_account' });
  // The header lists several windows, of which the first is reported.
  const left = Number.parseInt(headers['x-ratelimit-remaining'] ?? '', 10);
  return Number.isNaN(left) ? {} : { requests_remaining: left };
}
