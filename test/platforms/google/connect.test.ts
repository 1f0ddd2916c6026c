import { describe, expect, it } from 'vitest';
import type { OAuthConnect } from '#platforms/connect.ts';
import { google } from '#platforms/google/index.ts';
import { failure, googleOf } from '../../harness/platforms/google/samples.ts';
import { lost, ok, type Script } from '../../harness/platforms/script.ts';

const connect = google.connect as OAuthConnect;
const client = { clientId: 'id.apps', clientSecret: 'shh' };
const callback = 'https://rostra.example/connect/google/callback';
const SCOPE = 'https://www.googleapis.com/auth/business.manage';

const location = (id: string, more: object = {}) => ({ name: `locations/${id}`, title: `Bakery ${id}`, ...more });
const FULL = location('2', {
  storeCode: 'HARBOUR',
  languageCode: 'en',
  websiteUri: 'https://bakery.example',
  storefrontAddress: { addressLines: ['1 Quay'], locality: 'Harbour', postalCode: '1234', regionCode: 'NO' },
  profile: { description: 'Bread by the sea.' },
  metadata: {
    hasVoiceOfMerchant: true,
    placeId: 'ChIJ1',
    mapsUri: 'https://maps.example/2',
    newReviewUri: 'https://maps.example/2/review',
  },
});

const script = (more: Script = {}): Script => ({
  'POST oauth2/token': ok({ access_token: 'A', refresh_token: 'R', expires_in: 3599, scope: `${SCOPE} openid` }),
  'GET openidconnect/v1/userinfo': ok({ sub: '117', name: 'Ada', email: 'ada@bakery.example' }),
  'GET myaccountmanagement/v1/accounts': ok({ accounts: [{ name: 'accounts/1', accountName: 'Ada' }] }),
  'GET mybusinessinformation/v1/accounts/1/locations': ok({ locations: [FULL] }),
  'GET my/v4/accounts/1/locations/2/media': ok({}),
  ...more,
});
const finish = (played: ReturnType<typeof googleOf>) =>
  connect.finish(played.bare, { params: { code: 'C' }, secrets: {}, callback, client, metadata: {} });

describe('connecting a location', () => {
  it('takes what Google shows of it', async () => {
    const photo = (category: string) => ({
      name: `m/${category}`,
      locationAssociation: { category },
      googleUrl: `https://lh3.example/${category}`,
    });
    const played = googleOf(
      script({ 'GET my/v4/accounts/1/locations/2/media': ok({ mediaItems: [photo('COVER'), photo('LOGO'), null] }) }),
    );
    expect(await finish(played)).toEqual([
      {
        profile: {
          platform_user_id: 'accounts/1/locations/2',
          username: 'HARBOUR',
          name: 'Bakery 2',
          bio: 'Bread by the sea.',
          profile_picture_url: 'https://lh3.example/LOGO',
          profile_url: 'https://maps.example/2',
          user_email: 'ada@bakery.example',
          metadata: {
            business_account: 'accounts/1',
            business_account_name: 'Ada',
            location: 'locations/2',
            place_id: 'ChIJ1',
            new_review_url: 'https://maps.example/2/review',
            website_url: 'https://bakery.example',
            language_code: 'en',
            address: '1 Quay, 1234 Harbour',
            has_voice_of_merchant: true,
            login_id: '117',
            scopes_granted: [SCOPE, 'openid'],
            scopes_missing: ['email', 'profile'],
            unavailable: [
              { scope: 'email', effect: expect.stringContaining('e-mail') },
              { scope: 'profile', effect: expect.any(String) },
            ],
          },
        },
        session: { account: '1', location: '2', access: 'A', refresh: 'R' },
        expiresAt: expect.any(Number),
        grant: 'google:id.apps:117',
      },
    ]);
    const read = played.asked.find(({ call }) => call.startsWith('GET mybusinessinformation'))!;
    expect(read.query).toMatchObject({ pageSize: '100', readMask: expect.stringContaining('storefrontAddress') });
  });

  it('finds all of several accounts, page by page, each of them once', async () => {
    const played = googleOf(
      script({
        'GET myaccountmanagement/v1/accounts': [
          ok({ accounts: [{ name: 'accounts/1' }, { odd: true }], nextPageToken: 'p2' }),
          ok({ accounts: [{ name: 'accounts/7', accountName: 'Chain' }] }),
        ],
        'GET mybusinessinformation/v1/accounts/1/locations': [
          ok({ locations: [FULL], nextPageToken: 'l2' }),
          ok({ locations: [location('3')] }),
        ],
        'GET mybusinessinformation/v1/accounts/7/locations': ok({ locations: [location('3'), location('4')] }),
        'GET my/v4/accounts/1/locations/3/media': lost(),
        'GET my/v4/accounts/7/locations/4/media': failure(403, 'PERMISSION_DENIED'),
      }),
    );
    const found = await finish(played);
    expect(found.map(({ profile, session }) => [profile.platform_user_id, profile.name, session['account']])).toEqual([
      ['accounts/1/locations/2', 'Bakery 2', '1'],
      ['accounts/1/locations/3', 'Bakery 3', '1'],
      ['accounts/7/locations/4', 'Bakery 4', '7'],
    ]);
    expect(new Set(found.map(({ grant }) => grant))).toEqual(new Set(['google:id.apps:117']));
    const pages = played.asked.map(({ call, query }) => [call, query['pageToken']]);
    expect(pages).toContainEqual(['GET myaccountmanagement/v1/accounts', 'p2']);
    expect(pages).toContainEqual(['GET mybusinessinformation/v1/accounts/1/locations', 'l2']);
  });

  it('leaves out a location for which Google accepts no posts', async () => {
    const closed = { ...location('3'), metadata: { canOperateLocalPost: false } };
    const open = { ...location('4'), metadata: { canOperateLocalPost: true } };
    const of = (...locations: readonly object[]) =>
      googleOf(script({ 'GET mybusinessinformation/v1/accounts/1/locations': ok({ locations }) }));
    const found = await finish(of(FULL, closed, open));
    expect(found.map(({ profile }) => profile.name)).toEqual(['Bakery 2', 'Bakery 4']);
    await expect(finish(of(closed))).rejects.toMatchObject({
      reason: 'no_locations',
      message: expect.stringContaining('does not accept posts'),
    });
  });

  it('leaves out an account that may not be looked into', async () => {
    const accounts = ok({ accounts: [{ name: 'accounts/9' }, { name: 'accounts/1' }] });
    const played = googleOf(
      script({
        'GET myaccountmanagement/v1/accounts': accounts,
        'GET mybusinessinformation/v1/accounts/9/locations': failure(403, 'PERMISSION_DENIED'),
      }),
    );
    expect(await finish(played)).toHaveLength(1);
  });

  it.each([
    ['no account', { 'GET myaccountmanagement/v1/accounts': ok({}) }, 'no_locations'],
    ['no location', { 'GET mybusinessinformation/v1/accounts/1/locations': ok({}) }, 'no_locations'],
    [
      'no right to any account',
      { 'GET mybusinessinformation/v1/accounts/1/locations': failure(403, 'PERMISSION_DENIED') },
      'permission_denied',
    ],
    [
      'a box that was not ticked',
      { 'POST oauth2/token': ok({ access_token: 'A', refresh_token: 'R', expires_in: 3599, scope: 'openid' }) },
      'permission_denied',
    ],
    [
      'a quota that is spent',
      { 'GET myaccountmanagement/v1/accounts': failure(429, 'RESOURCE_EXHAUSTED') },
      'rate_limit',
    ],
  ] as const)('says why it cannot with %s', async (_what, more, reason) => {
    await expect(finish(googleOf(script(more)))).rejects.toMatchObject({ reason });
  });

  it('counts every request, and edits for themselves', async () => {
    const played = googleOf(script());
    await finish(played);
    const costs = played.asked.map(({ request }) => request.cost);
    expect(costs.slice(2)).toEqual([1, 2, 3].map(() => [{ bucket: 'requests', units: 1 }]));
    expect(google.quotas).toEqual({
      requests: { every: 'minute', limit: 300, per: 'app' },
      edits: { every: 'minute', limit: 10, per: 'account' },
    });
  });
});
