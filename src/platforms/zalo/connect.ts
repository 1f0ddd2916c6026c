import * as z from 'zod';
import type { AccountCall, UnauthenticatedCall } from '../call.ts';
import type { Connected, OAuthConnect } from '../connect.ts';
import { unclear } from '../shared/errors.ts';
import { count, flag, LongId, text } from '../shared/fields.ts';
import { codeFlow, storedTokens, type Tokens } from '../shared/oauth.ts';
import { ask, askWith, type ZaloSession } from './api.ts';
import { tokenErrorOf } from './errors.ts';

const Account = z.object({
  oa_id: LongId,
  name: z.string(),
  description: text,
  oa_alias: text,
  is_verified: flag,
  num_follower: count,
  avatar: text,
  cate_name: text,
  package_name: text,
});

/**
 * Connecting by the consent of a manager of an official account: one consent is one account. The refresh token works
 * once; when the answer with the next one is lost, only a new consent helps.
 */
export const connect: OAuthConnect = codeFlow({
  slug: 'zalo',
  title: 'Zalo',
  authorize: { host: 'consent', path: '/v4/oa/permission' },
  token: { host: 'oauth', path: '/v4/oa/access_token' },
  scopes: [],
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
  const account = await askWith({ ...call, token: access }, request, Account);
  const { oa_id, name, oa_alias: alias } = account;
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

const Quota = z.object({ remain: z.coerce.number().int().nonnegative(), total: z.coerce.number().optional() });
const Quotas = z.union([
  Quota,
  z
    .array(Quota)
    .min(1)
    .transform((all) => all[0]!),
]);

/** How many messages to people the official account has left. */
export async function limits(call: AccountCall): Promise<Readonly<Record<string, number>>> {
  const { remain } = await ask(call, { method: 'POST', path: '/v2.0/oa/quota/message' }, Quotas);
  return { messages_remaining: remain };
}
