import { expect, it } from 'vitest';
import { leaseAccount, releaseAccount, type AccountRow } from '#db/access/accounts.ts';
import { grantPlatform, LIFE_MS, makeGrant } from '../../harness/platforms/grants.ts';
import { call } from '../../harness/calls/operations.ts';
import { describeStores, type Stores } from '../../harness/stores/stores.ts';
import { makeWorld, type World } from '../../harness/world.ts';

const SLUG = 'google';

/** Connects one place of the login, in a brand of its own. */
async function choose(world: World, place: string): Promise<string> {
  const { body: choice } = await world.rest('POST /v1/oauth/exchange', { platform: SLUG, code: 'c' });
  const { connection_id } = choice;
  const chosen = await call(world, 'select_pending_profile', { connection_id, platform_account_id: place });
  expect(chosen).toMatchObject({ ok: true });
  return chosen.body.account_id;
}

/** Lets time pass until an answer is there, as who finds a lease taken looks again and again. */
async function ticking<T>(world: World, answer: Promise<T>): Promise<T> {
  let over = false;
  void answer.finally(() => (over = true));
  while (!over) {
    await world.rest('GET /v1/usage');
    world.clock.move(250);
  }
  return answer;
}

async function scene({ place }: Pick<Stores, 'place'>) {
  const grant = makeGrant();
  const world = await makeWorld({
    store: await place(),
    surroundings: { platforms: new Map([[SLUG, grantPlatform(SLUG, grant)]]) },
  });
  const limits = async (id: string) => (await world.rest(`GET /v1/accounts/${id}/limits`)).body;
  const [one, two] = [await choose(world, 'one'), await choose(world, 'two')];
  const statuses = async () =>
    ((await world.rest('GET /v1/accounts')).body.data as { status: string }[]).map(({ status }) => status);
  return { world, grant, limits, one, two, statuses };
}

describeStores('accounts of one grant', (stores) => {
  it('share a refreshed session, and keep what is their own in it', async () => {
    const { world, grant, limits, one, two } = await scene(stores);
    world.clock.move(LIFE_MS);
    expect(await limits(one)).toMatchObject({ one_remaining: 1 });
    expect(await limits(two)).toMatchObject({ two_remaining: 1 });
    expect(grant).toMatchObject({ refreshes: 1, reused: 0 });
  });

  it('refresh it once though all of them need it at the same time', async () => {
    const { world, grant, limits, one, two } = await scene(stores);
    for (let round = 1; round <= 3; round += 1) {
      world.clock.move(LIFE_MS);
      const both = await ticking(world, Promise.all([limits(one), limits(two), limits(one), limits(two)]));
      expect(both).toMatchObject([{ one_remaining: 1 }, { two_remaining: 1 }, {}, {}]);
      expect(grant).toMatchObject({ refreshes: round, reused: 0 });
    }
  });

  it('are leased by one refresh at a time, whichever of them it is for', async () => {
    const { world } = await scene(stores);
    const { store } = world.product;
    const accounts = await store.db.selectFrom('accounts').selectAll().execute();
    for (let round = 0; round < 5; round += 1) {
      const now = world.clock.now();
      const lease = (account: AccountRow, token: string) =>
        store.write((tx) => leaseAccount(tx, account, token, { now, until: now + 1000 }));
      const taken = await Promise.all(accounts.flatMap((account) => [lease(account, 'a'), lease(account, 'b')]));
      expect(taken.filter(Boolean)).toHaveLength(1);
      for (const token of ['a', 'b']) await store.write((tx) => releaseAccount(tx.db, accounts[0]!, token));
    }
  });

  it('must all be connected again when the platform refuses to refresh it, with one event each', async () => {
    const { world, grant, limits, one, statuses } = await scene(stores);
    const receiver = await world.receive(['account.disconnected']);
    grant.ended = true;
    world.clock.move(LIFE_MS);
    expect((await limits(one)).error).toMatchObject({ code: 'platform.google.auth' });
    expect(await statuses()).toEqual(['reconnect_required', 'reconnect_required']);
    await world.settle();
    expect(receiver.received.map(({ body }) => body.data['reason'])).toEqual(['access_revoked', 'access_revoked']);
    expect(grant.refreshes).toBe(1);
  });

  it('end it on the platform with the last of them', async () => {
    const { world, grant, limits, one, two } = await scene(stores);
    expect((await world.rest(`DELETE /v1/accounts/${one}`)).body).toMatchObject({ revoked: false });
    world.clock.move(LIFE_MS);
    expect(await limits(two)).toMatchObject({ two_remaining: 1 });
    expect((await world.rest(`DELETE /v1/accounts/${two}`)).body).toMatchObject({ revoked: true });
    expect(grant.revoked).toBe(1);
  });

  it('keep what the platform gave with an earlier consent only', async () => {
    const { world, grant, limits } = await scene(stores);
    grant.withheld = true;
    grant.places = ['two', 'three'];
    await world.rest('POST /v1/oauth/exchange', { platform: SLUG, code: 'c' });
    const again = await choose(world, 'two');
    const three = await choose(world, 'three');
    world.clock.move(LIFE_MS);
    expect(await limits(three)).toMatchObject({ three_remaining: 1 });
    expect(await limits(again)).toMatchObject({ two_remaining: 1 });
    expect(grant).toMatchObject({ refreshes: 1, reused: 0 });
  });

  it('end it once when they are removed together', async () => {
    const { world, grant } = await scene(stores);
    expect((await world.rest('DELETE /v1/users/me')).status).toBe(200);
    expect(grant.revoked).toBe(1);
  });
});

it('refuses a login that shows nothing to connect', async () => {
  const grant = { ...makeGrant(), places: [] };
  const world = await makeWorld({ surroundings: { platforms: new Map([[SLUG, grantPlatform(SLUG, grant)]]) } });
  const { status, body } = await world.rest('POST /v1/oauth/exchange', { platform: SLUG, code: 'c' });
  expect([status, body.error.code]).toEqual([404, 'platform.google.not_found']);
});

it('refuses a login that lacks what the platform gave with an earlier consent, where nobody has it', async () => {
  const grant = { ...makeGrant(), places: ['one'], withheld: true };
  const world = await makeWorld({ surroundings: { platforms: new Map([[SLUG, grantPlatform(SLUG, grant)]]) } });
  const { status, body } = await world.rest('POST /v1/oauth/exchange', { platform: SLUG, code: 'c' });
  expect([status, body.error.code]).toEqual([403, 'platform.google.permission_denied']);
  expect(body.error.message).toContain('It lasts an hour only.');
  expect((await world.rest('GET /v1/accounts')).body.count).toBe(0);
});

it('keeps the tokens of two platforms apart that share a grant, and ends it with the last account of both', async () => {
  const shared = () => ({ ...makeGrant(), name: 'user-1', places: ['one'] });
  const [google, youtube] = [shared(), shared()];
  const platforms = new Map([
    ['google', grantPlatform('google', google)],
    ['youtube', grantPlatform('youtube', youtube)],
  ] as const);
  const world = await makeWorld({ surroundings: { platforms } });
  const connected = async (platform: string): Promise<string> =>
    (await world.rest('POST /v1/oauth/exchange', { platform, code: 'c' })).body.account_id;
  const [place, channel] = [await connected('google'), await connected('youtube')];
  const limits = async (id: string) => (await world.rest(`GET /v1/accounts/${id}/limits`)).body;
  world.clock.move(LIFE_MS);
  const both = await ticking(world, Promise.all([limits(place), limits(channel), limits(place), limits(channel)]));
  expect(both.map((one) => one.one_remaining)).toEqual([1, 1, 1, 1]);
  expect([google, youtube].map(({ refreshes, reused }) => [refreshes, reused])).toEqual([
    [1, 0],
    [1, 0],
  ]);
  expect((await world.rest(`DELETE /v1/accounts/${place}`)).body).toMatchObject({ revoked: false });
  expect(await limits(channel)).toMatchObject({ one_remaining: 1 });
  expect((await world.rest(`DELETE /v1/accounts/${channel}`)).body).toMatchObject({ revoked: true });
  expect([google.revoked, youtube.revoked]).toEqual([0, 1]);
});
