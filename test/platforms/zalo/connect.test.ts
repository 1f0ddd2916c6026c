import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { OAuthConnect } from '#platforms/connect.ts';
import { zalo } from '#platforms/zalo/index.ts';
import { answer, lost, NOW, ok, type Script } from '../../harness/platforms/script.ts';
import { made, refusal, SESSION, zaloOf } from './script.ts';

const connect = zalo.connect as OAuthConnect;
const client = { clientId: '4400', clientSecret: 'app-secret' };
const callback = 'https://social.example.org/connect/callback';
const TOKENS = { access_token: 'access-1', refresh_token: 'refresh-1', expires_in: '90000' };
const OA = {
  oaid: '777',
  name: 'Bakery',
  description: 'Bread',
  oa_alias: 'bakery',
  is_verified: true,
  num_follower: 12,
  avatar: 'https://cdn.zalo.test/a.jpg',
  cate_name: 'Food',
};
const WILLING: Script = { 'oa/access_token': ok(TOKENS), 'oa/getoa': made(OA) };

const finish = (script: Script, params: Record<string, string> = { code: 'c-1', oa_id: '777' }) => {
  const { bare, asked } = zaloOf(script);
  const back = { params, secrets: { verifier: 'v'.repeat(43) }, callback, client, metadata: {} };
  return { answer: connect.finish(bare, back), asked };
};

describe('connecting Zalo', () => {
  it('leads to the consent page with a challenge and no method, of a verifier of 43 letters and digits', async () => {
    const { bare } = zaloOf({});
    const { url, secrets } = await connect.begin(bare, { state: 's-1', callback, client, metadata: {} });
    const { origin, pathname, searchParams } = new URL(url);
    expect(origin + pathname).toBe('https://oauth.zaloapp.com/v4/oa/permission');
    expect(secrets['verifier']).toMatch(/^[A-Za-z0-9]{43}$/);
    expect(Object.fromEntries(searchParams)).toEqual({
      app_id: '4400',
      redirect_uri: callback,
      state: 's-1',
      response_type: 'code',
      code_challenge: createHash('sha256').update(secrets['verifier']!).digest('base64url'),
    });
    expect(connect.needsState).toBe(true);
  });

  it('exchanges the code with the secret in a header, and reads the official account', async () => {
    const { answer: connected, asked } = finish(WILLING);
    expect(await connected).toEqual([
      {
        profile: {
          platform_user_id: '777',
          username: 'bakery',
          name: 'Bakery',
          bio: 'Bread',
          profile_picture_url: OA.avatar,
          profile_url: 'https://zalo.me/777',
          metadata: { is_verified: true, follower_count: 12, category: 'Food' },
        },
        session: SESSION,
        expiresAt: NOW + 90_000_000,
      },
    ]);
    const [exchange, profile] = asked;
    expect(exchange!.request.url).toBe('https://oauth.zaloapp.com/v4/oa/access_token');
    expect(exchange!.request.headers).toMatchObject({ secret_key: 'app-secret' });
    expect(exchange!.form).toEqual({
      app_id: '4400',
      code: 'c-1',
      grant_type: 'authorization_code',
      code_verifier: 'v'.repeat(43),
    });
    expect(profile!.request.headers).toMatchObject({ access_token: 'access-1' });
    expect(profile!.request.headers).not.toHaveProperty('authorization');
  });

  it.each([
    [{ ...OA, oaid: undefined, oa_id: '777' }, '777'],
    [{ ...OA, oaid: '2474142476543211234' }, '2474142476543211234'],
  ])('reads the id of the official account by either name', async (account, id) => {
    const connected = await finish({ ...WILLING, 'oa/getoa': made(account) }).answer;
    expect(connected.map(({ profile }) => profile.platform_user_id)).toEqual([id]);
  });

  const named = (error_name: string) => answer(200, { error_name, error_reason: error_name, error_description: '' });
  const wrong = (error: number, error_name: string) => answer(200, { error, error_name, error_description: 'no' });
  it.each([
    ['an unknown app', wrong(-14002, 'Invalid app id'), 'permission_denied', 'ZALO_CLIENT_ID'],
    ['a wrong secret', wrong(-14001, 'Invalid secret key'), 'permission_denied', 'ZALO_CLIENT_SECRET'],
    ['a callback that is not registered', wrong(-14003, 'Invalid redirect uri'), 'invalid_request', 'Register'],
    ['a used code', wrong(-14019, 'Invalid authorization code'), 'invalid_request', 'start the connection again'],
    ['a used code by name alone', named('Invalid authorization code'), 'invalid_request', 'start the connection again'],
    ['a wrong secret by name alone', named('Invalid secret key'), 'permission_denied', 'ZALO_CLIENT_SECRET'],
    ['a callback by name alone', named('Invalid redirect uri'), 'invalid_request', 'Register'],
  ])('says what is wrong with %s, though Zalo answers 200', async (_, token, reason, words) => {
    const { answer: connected } = finish({ 'oa/access_token': token });
    await expect(connected).rejects.toMatchObject({
      kind: 'refused',
      reason,
      message: expect.stringContaining(words) as string,
    });
  });

  it('says so when the person declines', async () => {
    const { answer: connected } = finish({}, { error: 'access_denied' });
    await expect(connected).rejects.toMatchObject({ kind: 'refused', reason: 'permission_denied' });
  });

  it('takes nothing for a login that it cannot renew', async () => {
    const { refresh_token: _, ...once } = TOKENS;
    const { answer: connected } = finish({ ...WILLING, 'oa/access_token': ok(once) });
    await expect(connected).rejects.toMatchObject({ kind: 'unknown' });
  });
});

describe('refreshing', () => {
  const refresh = (script: Script) => {
    const { acting, asked } = zaloOf(script);
    return { renewed: connect.refresh!(acting, client), asked };
  };

  it('takes the next pair of tokens, and keeps what else the session has', async () => {
    const next = { access_token: 'access-2', refresh_token: 'refresh-2', expires_in: '90000' };
    const { renewed, asked } = refresh({ 'oa/access_token': ok(next) });
    expect(await renewed).toEqual({
      session: { ...SESSION, access_token: 'access-2', refresh_token: 'refresh-2' },
      expiresAt: NOW + 90_000_000,
    });
    expect(asked[0]!.form).toEqual({ app_id: '4400', grant_type: 'refresh_token', refresh_token: 'refresh-1' });
    expect(asked[0]!.request.headers).toMatchObject({ secret_key: 'app-secret' });
  });

  it.each([
    [refusal(-14014, 'Invalid refresh token'), 'refused', 'auth'],
    [ok({ error_name: 'Invalid refresh token', error_description: 'Invalid refresh token.' }), 'refused', 'auth'],
    [refusal(-32, 'Too many'), 'throttled', 'rate_limit'],
    [refusal(-1, 'strange'), 'unknown', 'api_error'],
    [answer(502, 'down'), 'unknown', 'api_error'],
    [lost(), 'unknown', 'api_error'],
  ])('tells a token that is used up from what may pass', async (token, kind, reason) => {
    await expect(refresh({ 'oa/access_token': token }).renewed).rejects.toMatchObject({ kind, reason });
  });
});

describe('limits', () => {
  const asset = (more: object) => ({ asset_id: 'a', product_type: 'cs', quota_type: 'sub_quota', ...more });

  it.each([
    [[asset({ remain: 480, total: 500 }), asset({ remain: '20', total: '20' })], { messages_remaining: 500 }],
    [[asset({})], {}],
    [[], {}],
    [null, {}],
  ])('are what is left of the messages of the package', async (data, expected) => {
    const { acting, asked } = zaloOf({ 'oa/quota/message': made(data) });
    expect(await zalo.limits!(acting)).toEqual(expected);
    expect(asked[0]!.request.url).toBe('https://openapi.zalo.me/v3.0/oa/quota/message');
    expect(asked[0]!.body).toEqual({ quota_owner: 'OA', product_type: 'cs', quota_type: 'sub_quota' });
  });
});
