import * as z from 'zod';
import type { AccountCall, UnauthenticatedCall } from '../call.ts';
import type { Connected, OAuthConnect } from '../connect.ts';
import { unclear } from '../shared/errors.ts';
import { count, flag, LongId, readable, text } from '../shared/fields.ts';
import { codeFlow, storedTokens, type Tokens } from '../shared/oauth.ts';
import { callApi, requestWith, type ZaloSession } from './api.ts';
import { tokenErrorOf } from './errors.ts';

const Account = z.object({
  /** The documentation and other clients use different names for the id. */
  oaid: LongId.optional(),
  oa_id: LongId.optional(),
  name: z.string(),
  description: text,
  oa_alias: text,
  is_verified: flag,
  num_follower: count,
  avatar: text,
  cate_name: text,
  package_name: text,
});

/** Connects an official account by its manager's consent; a lost refresh token requires a new consent. */
export const connect: OAuthConnect = codeFlow({
  slug: 'zalo',
  title: 'Zalo',
  authorize: { host: 'consent', path: '/v4/oa/permission' },
  token: { host: 'oauth', path: '/v4/oa/access_token' },
  separator: ' ',
  clientField: 'app_id',
  auth: { header: 'secret_key' },
  pkce: 'bare',
  fields: (standard) => ({ ...standard, redirect_uri: undefined }),
  errorOf: tokenErrorOf,
  profiles,
  refresh: storedTokens,
});

async function profiles(call: UnauthenticatedCall, { access, refresh, expiresAt }: Tokens): Promise<Connected[]> {
  if (refresh === undefined) throw unclear();
  const request = { method: 'GET', path: '/v2.0/oa/getoa' } as const;
  const account = await requestWith({ ...call, token: access }, request, Account);
  const { oaid, oa_id = oaid, name, oa_alias: alias } = account;
  if (oa_id === undefined) throw unclear();
  const session: ZaloSession = { access_token: access, refresh_token: refresh, oa_id, name };
  const profile = {
    platform_user_id: oa_id,
    username: alias || name,
    name,
    bio: account.description,
    profile_picture_url: account.avatar,
    profile_url: `${call.hosts['web']!}/${oa_id}`,
    metadata: {
      is_verified: account.is_verified,
      follower_count: account.num_follower,
      ...(account.cate_name && { category: account.cate_name }),
      ...(account.package_name && { package: account.package_name }),
    },
  };
  return [{ profile, session, expiresAt }];
}

const Quotas = z.array(z.unknown()).nullish();
const Quota = z.object({ remain: z.coerce.number().int().nonnegative() });
/** Selects the messages that are included in an official account's package. */
const OF_PACKAGE = Object.freeze({ quota_owner: 'OA', product_type: 'cs', quota_type: 'sub_quota' });

/** How many messages are left in the account's package; empty if it includes none. */
export async function limits(call: AccountCall): Promise<Readonly<Record<string, number>>> {
  const found = await callApi(call, { method: 'POST', path: '/v3.0/oa/quota/message', json: OF_PACKAGE }, Quotas);
  const quotas = readable(Quota, found ?? []);
  return quotas.length === 0 ? {} : { messages_remaining: quotas.reduce((sum, { remain }) => sum + remain, 0) };
}
