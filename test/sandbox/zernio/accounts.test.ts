import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OLIVIA, openZernioWorld, type ZernioWorld } from '../../harness/worlds/twins/zernio.ts';

const NOBODY = '650700000000000000000000';

let world: ZernioWorld;
let profiles: Readonly<Record<string, string>>;
beforeAll(async () => void (world = await openZernioWorld()));
beforeEach(async () => {
  await world.reset();
  profiles = await world.profiles();
});
afterAll(() => world.close());

const usernames = async (query = '', key?: string) => {
  const { json } = await world.call('GET', `accounts${query}`, key);
  return json.accounts.map(({ username }: { username: string }) => username);
};
const refusal = async (call: ReturnType<ZernioWorld['call']>) => {
  const { status, json } = await call;
  return [status, json.code, json.param];
};

describe('keys', () => {
  it('are asked for', async () => {
    for (const wrong of ['', 'sk_wrong', await world.key('expired')])
      expect(await refusal(world.call('GET', 'accounts', wrong))).toEqual([401, 'unauthorized', undefined]);
  });

  it('may be for reading alone', async () => {
    const key = await world.key('read only');
    expect((await world.call('GET', 'accounts', key)).status).toBe(200);
    expect((await world.call('POST', 'profiles', key, { name: 'New' })).status).toBe(403);
  });

  it('may be without a group', async () => {
    const key = await world.key('without accounts');
    expect(key).toMatch(/^zrk_/);
    expect((await world.call('GET', 'accounts', key)).json).toMatchObject({
      code: 'insufficient_permissions',
      required_group: 'accounts',
    });
    expect((await world.call('GET', 'accounts', await world.key('accounts only'))).status).toBe(200);
  });

  it('may be for some profiles, of which alone they see anything', async () => {
    const bakery = profiles['Harbour Bakery']!;
    const key = await world.key('full', [bakery]);
    expect(await usernames('', key)).toEqual(['harbour.bakery', 'alice.sandbox.test', 'harbour_bakery']);
    const { json } = await world.call('GET', 'profiles', key);
    expect(json.profiles.map(({ _id }: { _id: string }) => _id)).toEqual([bakery]);
    const other = profiles['Harbour Coffee']!;
    expect((await world.call('GET', `accounts?profileId=${other}`, key)).status).toBe(403);
    expect((await world.call('GET', `profiles/${other}`, key)).status).toBe(404);
  });
});

describe('profiles', () => {
  it('are made once by a name and by an idempotency key, changed and removed', async () => {
    const again = { 'idempotency-key': 'one' };
    const made = await world.call('POST', 'profiles', undefined, { name: 'Roastery' }, again);
    expect([made.status, made.json.profile]).toMatchObject([201, { name: 'Roastery', isDefault: false }]);
    const id = made.json.profile._id;
    expect((await world.call('POST', 'profiles', undefined, { name: 'Roastery' }, again)).json).toEqual(made.json);
    expect((await world.call('POST', 'profiles', undefined, { name: 'Other' }, again)).status).toBe(422);
    const taken = await world.call('POST', 'profiles', undefined, { name: 'Roastery' });
    expect([taken.status, taken.json.details]).toEqual([409, { existingProfileId: id }]);
    expect(await refusal(world.call('POST', 'profiles', undefined, {}))).toEqual([
      400,
      'missing_required_field',
      'name',
    ]);

    const change = { name: 'Roasters', description: null, isDefault: true };
    expect((await world.call('PUT', `profiles/${id}`, undefined, change)).json.profile).toMatchObject({
      name: 'Roasters',
      isDefault: true,
    });
    const { json } = await world.call('GET', 'profiles?limit=2&skip=0');
    expect([json.total, json.profiles.map(({ name }: { name: string }) => name)]).toEqual([
      3,
      ['Roasters', 'Harbour Coffee'],
    ]);
    expect((await world.call('DELETE', `profiles/${id}`)).status).toBe(200);
    expect((await world.call('GET', `profiles/${id}`)).status).toBe(404);
    expect((await world.call('GET', 'profiles')).json.profiles[0]).toMatchObject({ isDefault: true });
    expect((await world.call('DELETE', `profiles/${profiles['Harbour Coffee']}`)).status).toBe(400);
  });
});

describe('accounts', () => {
  it('are listed whole or by pages, by profile, platform and health', async () => {
    const coffee = ['@olivia', 'harbour.coffee', 'harbourcoffee', 'Harbour Coffee'];
    expect(await usernames(`?profileId=${profiles['Harbour Coffee']}`)).toEqual(coffee);
    expect(await usernames('?platform=instagram')).toEqual(['harbour.coffee', 'harbour.bakery']);
    expect(await usernames(`?profileId=${NOBODY}`)).toEqual([]);
    const { json } = await world.call('GET', 'accounts?page=3&limit=3');
    expect([json.accounts.length, json.pagination]).toEqual([1, { page: 3, limit: 3, total: 7, pages: 3 }]);
    for (const [query, param] of [
      ['page=1', 'limit'],
      ['limit=5', 'page'],
      ['page=1&limit=101', 'limit'],
      ['page=0&limit=5', 'page'],
      ['profileId=mine', 'profileId'],
    ])
      expect([query, ...(await refusal(world.call('GET', `accounts?${query}`)))]).toEqual([
        query,
        400,
        'invalid_field_value',
        param,
      ]);
    expect(json.accounts[0]).toMatchObject({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      platform: 'reddit',
      profileId: { _id: profiles['Harbour Bakery'], name: 'Harbour Bakery', slug: 'harbour-bakery' },
      profileUrl: 'https://www.reddit.com/user/harbour_bakery',
      isActive: true,
    });
    expect((await world.ask(json.accounts[0].profilePicture)).headers.get('content-type')).toBe('image/png');
  });

  it('are connected to people of other networks', async () => {
    const profile = profiles['Harbour Bakery']!;
    const given = { profile, platform: 'pinterest', username: 'olivia.sandbox.test', platform_id: '71852409331783609' };
    const { id } = await world.act('connect', given);
    const ads = await world.act('connect', { profile, platform: 'pinterestads', username: 'olivia', of: id });
    const find = async (wanted: string) =>
      (await world.call('GET', 'accounts')).json.accounts.find(({ _id }: { _id: string }) => _id === wanted);
    expect(await find(id)).toMatchObject({ metadata: { platformUserId: '71852409331783609' }, parentAccountId: null });
    expect(await find(ads.id)).toMatchObject({ parentAccountId: id });
  });

  it('fall ill, and are not listed where nobody wanted them', async () => {
    const [account] = await world.list('accounts');
    await world.act('change_account', { account: account.id, state: 'needs reconnection' });
    expect(await usernames('?status=disconnected')).toEqual(['@olivia']);
    await world.act('change_account', { account: account.id, state: 'not enabled' });
    expect(await usernames()).not.toContain('@olivia');
  });

  it('are those of one team', async () => {
    const { key, profile } = await world.act('add_team', { handle: 'sam.sandbox.test', name: 'Single Origin' });
    expect(await usernames('', key)).toEqual([]);
    expect((await world.call('GET', `profiles/${profile}`)).status).toBe(404);
    expect((await world.call('GET', `profiles/${profile}`, key)).json.profile.name).toBe('Default');
  });
});

describe('the provider', () => {
  it('answers so many requests a minute as the accounts of a team earn', async () => {
    const { key, profile } = await world.act('add_team', { handle: 'tia.sandbox.test', name: 'Tia' });
    const { headers } = await world.call('GET', 'profiles', key);
    expect(['limit', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}`))).toEqual(['60', '59']);
    const asked = await Promise.all(Array.from({ length: 60 }, () => world.call('GET', 'profiles', key)));
    const late = asked.find(({ status }) => status === 429)!;
    expect(Number(late.headers.get('x-ratelimit-reset'))).toBe(world.clock.now() / 1000 + 60);
    world.clock.move(60_000);
    await world.act('connect_many', { profile, platform: 'bluesky', count: 3 });
    expect((await world.call('GET', 'profiles', key)).headers.get('x-ratelimit-limit')).toBe('600');
  });

  it('is without what it does not have', async () => {
    expect(await refusal(world.call('GET', 'analytics'))).toEqual([404, 'not_found', undefined]);
  });

  it.each([
    ['unavailable', 503],
    ['error', 500],
    ['page', 200],
    ['nonsense', 200],
    ['huge', 200],
    ['redirect inside', 302],
    ['redirect here', 307],
  ])('can be made to misbehave: %s', async (how, status) => {
    await world.act('misbehave', { how });
    const reply = await world.call('GET', 'accounts');
    expect(reply.status).toBe(status);
    await world.act('misbehave', { how: 'no' });
    expect((await world.call('GET', 'accounts')).status).toBe(200);
  });

  it('fails towards one team by the faults of the console', async () => {
    const fault = { network: 'zernio', person: OLIVIA, method: 'GET v1/accounts' };
    world.sandbox.setFault({ ...fault, kind: 'throttled' });
    expect((await world.call('GET', 'accounts')).status).toBe(429);
    world.sandbox.setFault({ ...fault, kind: 'expired' });
    expect((await world.call('GET', 'accounts')).status).toBe(401);
    world.sandbox.setFault({ ...fault, kind: 'revoked' });
    const { text } = await world.ask('/sandbox/zernio');
    expect(text).toContain('Make a key');
    expect((await world.call('GET', 'accounts', 'sk_none')).status).toBe(401);
  });
});
