/** Accounts, locations and metrics; the official clients drive the same routes in test/wire/google-clients.test.ts. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  MANAGE,
  NORA,
  OLIVIA,
  openGoogleTwin,
  SAM,
  type GoogleWorld,
  type Place,
} from '../../harness/worlds/twins/google.ts';

let world: GoogleWorld;
let token: string;
let places: Record<string, Place>;
beforeAll(async () => {
  world = await openGoogleTwin();
});
beforeEach(async () => {
  await world.sandbox.reset();
  token = (await world.login()).access_token;
  places = await world.places(token);
});
afterAll(() => world.close());

const accounts = (query = '', bearer = token) => world.call('accountmanagement', 'GET', `v1/accounts${query}`, bearer);
const locations = (account: string, query: string, bearer = token) =>
  world.call('businessinformation', 'GET', `v1/accounts/${account}/locations${query}`, bearer);
const titles = (reply: { json: any }) => (reply.json.locations ?? []).map((one: any) => one.title);
const refused = (status: number, name: string, field?: string) => ({
  status,
  json: {
    error: {
      code: status,
      status: name,
      ...(field !== undefined && { details: [{ fieldViolations: [{ field }] }] }),
    },
  },
});

describe('accounts', () => {
  it('of all types come in pages of twenty', async () => {
    for (let count = 0; count < 20; count += 1)
      await world.act('add_account', { person: OLIVIA, name: `Group ${count}`, type: 'USER_GROUP' });
    const first = (await accounts('?pageSize=50')).json;
    expect(first.accounts).toHaveLength(20);
    expect(first.accounts[0]).toEqual({
      name: expect.stringMatching(/^accounts\/\d{10,}$/),
      accountName: 'Olivia Harbour',
      type: 'PERSONAL',
      role: 'PRIMARY_OWNER',
      verificationState: 'UNVERIFIED',
      vettedState: 'NOT_VETTED',
    });
    const last = (await accounts(`?pageSize=50&pageToken=${first.nextPageToken}`)).json;
    expect(last.accounts).toHaveLength(2);
    expect(last).not.toHaveProperty('nextPageToken');
    const groups = (await accounts('?filter=type%3DLOCATION_GROUP')).json.accounts;
    expect(groups).toMatchObject([{ accountName: 'Harbour Group', permissionLevel: 'OWNER_LEVEL' }]);
    expect(await accounts(`?filter=type%3DPERSONAL&pageToken=${first.nextPageToken}`)).toMatchObject(
      refused(400, 'INVALID_ARGUMENT', 'page_token'),
    );
    expect(await accounts('?filter=colour%3Dred')).toMatchObject(refused(400, 'INVALID_ARGUMENT', 'filter'));
    const one = await world.call('accountmanagement', 'GET', `v1/${groups[0].name}`, token);
    expect(one.json).toEqual(groups[0]);
  });

  it('below an organization are found by it', async () => {
    const { id } = await world.act('add_account', { person: OLIVIA, name: 'Harbour Ltd', type: 'ORGANIZATION' });
    await world.act('add_account', { person: OLIVIA, name: 'East', type: 'LOCATION_GROUP', parent: id });
    const found = (await accounts(`?parentAccount=accounts/${id}`)).json.accounts;
    expect(found.map((one: any) => one.accountName)).toEqual(['East']);
  });

  it('are those of the caller alone', async () => {
    const other = (await world.login(SAM)).access_token;
    expect((await accounts('', other)).json.accounts).toHaveLength(1);
    const [{ name }] = (await accounts()).json.accounts;
    expect(await world.call('accountmanagement', 'GET', `v1/${name}`, other)).toMatchObject(
      refused(403, 'PERMISSION_DENIED'),
    );
    expect(await world.call('accountmanagement', 'GET', 'v1/accounts/1', other)).toMatchObject(
      refused(404, 'NOT_FOUND'),
    );
    await world.act('leave_account', { person: OLIVIA, account: 'Harbour Group' });
    expect((await accounts()).json.accounts).toHaveLength(1);
    const nora = (await world.login(NORA)).access_token;
    expect(await world.places(nora)).toEqual({});
  });

  it('need the right to manage businesses', async () => {
    const { access_token } = await world.login(OLIVIA, { scope: 'openid email' });
    expect(await accounts('', access_token)).toMatchObject(refused(403, 'PERMISSION_DENIED'));
    expect(await accounts('', 'guess')).toMatchObject(refused(401, 'UNAUTHENTICATED'));
    const { access_token: old } = await world.login(OLIVIA, { scope: MANAGE.replace('business', 'plus.business') });
    expect((await accounts('', old)).status).toBe(200);
  });
});

describe('locations', () => {
  it('show what the mask names, and need one', async () => {
    const { account, location } = places['Harbour Café']!;
    expect(await locations(account, '')).toMatchObject(refused(400, 'INVALID_ARGUMENT', 'read_mask'));
    expect(await locations(account, '?readMask=name,colour')).toMatchObject(
      refused(400, 'INVALID_ARGUMENT', 'read_mask'),
    );
    const { json } = await locations(
      account,
      '?readMask=name,title,storeCode,metadata.placeId,storefrontAddress.locality',
    );
    expect(json.locations[0]).toEqual({
      name: `locations/${location}`,
      title: 'Harbour Café',
      storeCode: 'CAFE',
      metadata: { placeId: expect.stringMatching(/^ChIJ/) },
      storefrontAddress: { locality: 'London' },
    });
    const one = await world.call(
      'businessinformation',
      'GET',
      `v1/locations/${location}?readMask=metadata,profile`,
      token,
    );
    expect(one.json).toEqual({
      metadata: {
        canDelete: true,
        hasVoiceOfMerchant: true,
        placeId: json.locations[0].metadata.placeId,
        mapsUri: `${world.at}/maps/maps?cid=${location}`,
        newReviewUri: expect.stringContaining('/local/writereview?placeid='),
      },
      profile: { description: 'Harbour Café welcomes you.' },
    });
    expect((await world.ask(one.json.metadata.mapsUri)).text).toContain('Harbour Café welcomes you.');
    const review = await world.ask(one.json.metadata.newReviewUri);
    expect(review.headers.get('location')).toBe(one.json.metadata.mapsUri);
  });

  it('come in pages, filtered and ordered, and one may be in two accounts', async () => {
    const { account } = places['Harbour Bakery']!;
    const [{ name: own }] = (await accounts()).json.accounts;
    expect(titles(await locations(own.split('/')[1], '?readMask=title'))).toEqual(['Harbour Café']);
    expect(titles(await locations(account, '?readMask=title'))).toEqual([
      'Harbour Café',
      'Harbour Bakery',
      'Harbour Boats',
    ]);
    expect(titles(await locations('-', '?readMask=title'))).toHaveLength(3);
    expect(titles(await locations(account, '?readMask=title&orderBy=title desc'))).toEqual([
      'Harbour Café',
      'Harbour Boats',
      'Harbour Bakery',
    ]);
    expect(titles(await locations(account, '?readMask=title&filter=storeCode="BAKERY"'))).toEqual(['Harbour Bakery']);
    expect(await locations(account, '?readMask=title&orderBy=size')).toMatchObject(
      refused(400, 'INVALID_ARGUMENT', 'order_by'),
    );
    await world.act('add_location', { account: 'Harbour Group', title: 'Kiosk', count: 10 });
    const first = (await locations(account, '?readMask=title')).json;
    expect(first.locations).toHaveLength(10);
    const rest = await locations(account, `?readMask=title&pageToken=${first.nextPageToken}`);
    expect(titles(rest)).toHaveLength(3);
    // A token is good for the question that it came with.
    expect(await locations('-', `?readMask=title&pageToken=${first.nextPageToken}`)).toMatchObject(
      refused(400, 'INVALID_ARGUMENT', 'page_token'),
    );
    expect(titles(await locations(account, '?readMask=title&pageSize=1000'))).toHaveLength(13);
  });
});

describe('quotas', () => {
  it('hold a project to its requests a minute, each API by itself', async () => {
    await world.settings({ requests_per_minute: 3 });
    // Two calls were made before each test.
    await accounts();
    await accounts();
    expect(await accounts()).toMatchObject({
      status: 429,
      json: {
        error: {
          status: 'RESOURCE_EXHAUSTED',
          details: [{ reason: 'RATE_LIMIT_EXCEEDED', metadata: { quota_limit_value: '3' } }],
        },
      },
    });
    expect((await locations('-', '?readMask=title')).status).toBe(200);
    world.clock.move(60_000);
    expect((await accounts()).status).toBe(200);
  });

  it('are zero for a project that was not given access', async () => {
    await world.settings({ requests_per_minute: 0 });
    expect(await accounts()).toMatchObject({
      status: 429,
      json: { error: { details: [{ metadata: { quota_limit_value: '0' } }] } },
    });
  });
});
