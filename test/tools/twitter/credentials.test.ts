import { describe, expect } from 'vitest';
import { PlatformError } from '#platforms/errors.ts';
import {
  call,
  expectInvalid,
  expectPages,
  expectRefusal,
  expectRequired,
  wholeList,
} from '../../harness/calls/operations.ts';
import { fakePlatform } from '../../harness/platforms/fake.ts';
import { expectLacking } from '../../harness/worlds/social.ts';
import { it as base, makeWorld } from '../../harness/world.ts';

const APP = { client_id: 'client-one', client_secret: 'secret-one' } as const;
const OTHER = { client_id: 'other-app', client_secret: 'secret-two' } as const;
const CONSUMER = { consumer_key: 'consumer-key', consumer_secret: 'consumer-secret' } as const;
const ID = expect.stringMatching(/^app_/);
const AT = '2026-01-15T09:00:00.000Z';
const LATER = '2026-01-15T09:00:01.000Z';

/** X as far as its apps go: it knows secrets that begin with `secret`. */
const x = fakePlatform('twitter', {
  connect: {
    kind: 'oauth',
    customerApps: {
      secrets: Object.keys(CONSUMER),
      async check(_call, { clientSecret }) {
        if (clientSecret === 'busy') throw new PlatformError('throttled', 'rate_limit', 'Later.', { retryAfter: 7 });
        const valid = clientSecret.startsWith('secret');
        return { valid, reason: valid ? null : 'X does not know this pair.' };
      },
    },
    begin: async ({ now }, { client }) => ({ url: `https://x.example/${client.clientId}/${now()}`, secrets: {} }),
    finish: async (_call, { params: { code = '' }, client }) => [
      { profile: { platform_user_id: code, username: code, name: code }, session: { app: client.clientId } },
    ],
  },
});

const it = base.extend('scene', async () => {
  const world = await makeWorld({ surroundings: { platforms: new Map([['twitter', x]]) } });
  const { brandId } = world;
  const set = (input: object = APP) => call(world, 'set_twitter_credentials', { ...input });
  const setBrand = (input: object = OTHER, brand_id = brandId) =>
    call(world, 'set_brand_twitter_credentials', { brand_id, ...input });
  const list = async () => (await call(world, 'list_twitter_credentials')).body;
  const remove = () => call(world, 'delete_twitter_credentials');
  const removeBrand = (brand_id = brandId) => call(world, 'delete_brand_twitter_credentials', { brand_id });
  const test = (input: object = {}) => call(world, 'test_twitter_credentials', { ...input });
  async function connect(code: string, brand_id: string | undefined = brandId) {
    const { body } = await call(world, 'connect_account', { platform: 'twitter', ...(brand_id && { brand_id }) });
    return (await world.rest('POST /v1/oauth/exchange', { code, state: body.state })).body.account_id as string;
  }
  return { world, brandId, set, setBrand, list, remove, removeBrand, test, connect };
});

const SETS = ['set_twitter_credentials', 'set_brand_twitter_credentials'] as const;

describe('list_twitter_credentials', () => {
  it('shows the pair of the workspace and those of brands, and nothing that is secret', async ({ scene }) => {
    const { world, brandId, set, setBrand, list } = scene;
    expect(await list()).toEqual(wholeList(0, []));
    const first = await set({ ...APP, ...CONSUMER });
    world.clock.move(1000);
    const second = await setBrand();
    const rows = [
      { id: ID, brand_id: null, client_id_hint: 'client', created_at: AT, updated_at: AT },
      { id: ID, brand_id: brandId, client_id_hint: 'other-', created_at: LATER, updated_at: LATER },
    ];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect([first.body, second.body]).toEqual(rows);
    expect(await list()).toEqual(wholeList(2, rows));
    const { sealed } = await world.product.store.db.selectFrom('apps').select('sealed').executeTakeFirstOrThrow();
    expect(JSON.stringify([sealed, world.log])).not.toMatch(/secret-one|secret-two|consumer-secret|consumer-key/);
  });

  it('pages', async ({ scene: { world, set, setBrand } }) => {
    const ids = [(await set()).body.id, (await setBrand()).body.id];
    await expectPages(world, 'list_twitter_credentials', ids);
  });

  it('shows nothing of another workspace', async ({ scene: { world, set } }) => {
    await set();
    const { key } = await world.stranger();
    expect((await call(world, 'list_twitter_credentials', {}, { key })).body.data).toEqual([]);
  });
});

describe.each(SETS)('%s', (name) => {
  const ask = (scene: { brandId: string }, more: object) => ({
    ...(name === SETS[1] && { brand_id: scene.brandId }),
    ...more,
  });

  it('takes both parts of a pair, and further ones only together', async ({ scene }) => {
    const { world } = scene;
    for (const [field, given] of [
      ['client_id', { client_secret: 'secret' }],
      ['client_secret', { client_id: 'client' }],
      ['consumer_secret', { ...APP, consumer_key: 'key' }],
      ['consumer_key', { ...APP, consumer_secret: 'secret' }],
    ] as const)
      await expectRequired(call(world, name, ask(scene, given)), field);
    for (const [field, given] of [
      ['client_id', { ...APP, client_id: 'two words' }],
      ['client_secret', { ...APP, client_secret: 'x'.repeat(513) }],
      ['consumer_key', { ...APP, ...CONSUMER, consumer_key: 'ключ' }],
    ] as const)
      await expectInvalid(call(world, name, ask(scene, given)), field);
    expect((await scene.list()).count).toBe(0);
  });

  it('takes the place of the pair before', async ({ scene }) => {
    const { world, list } = scene;
    await call(world, name, ask(scene, APP));
    world.clock.move(60_000);
    await call(world, name, ask(scene, OTHER));
    expect((await list()).data).toMatchObject([
      { client_id_hint: 'other-', created_at: AT, updated_at: '2026-01-15T09:01:00.000Z' },
    ]);
  });
});

describe('set_twitter_credentials', () => {
  it('leaves accounts the app they were connected with', async ({ scene: { world, set, connect } }) => {
    await set();
    const id = await connect('ada');
    await set(OTHER);
    const { body } = await call(world, 'list_accounts');
    expect(body.data).toMatchObject([{ id, status: 'active', metadata: { byok_source: 'user' } }]);
  });
});

describe('set_brand_twitter_credentials', () => {
  it('goes before the pair of the workspace, for its brand alone', async ({ scene }) => {
    const { world, set, setBrand, connect } = scene;
    await set();
    await setBrand();
    await connect('ada');
    const { body } = await call(world, 'list_accounts');
    expect(body.data).toMatchObject([{ metadata: { byok_source: 'brand' } }]);
  });

  it('needs a brand of the workspace', async ({ scene: { world, setBrand, brandId } }) => {
    await expectRefusal(setBrand(APP, 'brd_none'), 'brand.not_found', { resource: 'brand', id: 'brd_none' });
    const { key } = await world.stranger();
    const ask = { brand_id: brandId, ...APP };
    await expectRefusal(call(world, 'set_brand_twitter_credentials', ask, { key }), 'brand.not_found', { id: brandId });
  });
});

describe('delete_twitter_credentials', () => {
  it('disconnects what was connected with them, retired ones too, once each', async ({ scene }) => {
    const { world, set, remove, connect } = scene;
    const receiver = await world.receive(['account.disconnected']);
    await set();
    await connect('ada');
    await set(OTHER);
    await connect('bob', '');
    const { status, body } = await remove();
    expect([status, body]).toEqual([200, { success: true, ok: true, id: ID }]);
    const accounts = (await call(world, 'list_accounts')).body.data;
    expect(accounts).toMatchObject([{ status: 'reconnect_required' }, { status: 'reconnect_required' }]);
    await world.settle();
    expect(receiver.received.map(({ body: told }) => told.data)).toMatchObject([
      { reconnect_required: true },
      { reconnect_required: true },
    ]);
    await expectRefusal(call(world, 'connect_account', { platform: 'twitter' }), 'byok.credentials_missing');
  });

  it('leaves those of brands, and needs some to remove', async ({ scene: { setBrand, remove, list } }) => {
    await setBrand();
    await expectRefusal(remove(), 'resource.not_found', { resource: 'credentials', id: 'twitter' });
    expect((await list()).count).toBe(1);
  });
});

describe('delete_brand_twitter_credentials', () => {
  it('removes those of the brand alone', async ({ scene: { set, setBrand, removeBrand, list, brandId } }) => {
    await set();
    await setBrand();
    expect((await removeBrand()).body).toMatchObject({ success: true, ok: true });
    expect((await list()).data).toMatchObject([{ brand_id: null }]);
    await expectRefusal(removeBrand(), 'resource.not_found', { resource: 'credentials', id: brandId });
    await expectRefusal(removeBrand('brd_none'), 'brand.not_found', { resource: 'brand', id: 'brd_none' });
  });
});

describe('test_twitter_credentials', () => {
  it('tests what is given, else what is stored for the brand or the workspace', async ({ scene }) => {
    const { set, setBrand, test, brandId, world } = scene;
    await expectRefusal(test(), 'byok.credentials_missing', { field: 'client_id' });
    const { body } = await test({ client_id: 'any', client_secret: 'wrong' });
    expect(body).toEqual({ valid: false, reason: 'X does not know this pair.' });
    await set();
    await expectRefusal(test({ brand_id: brandId }), 'byok.credentials_missing', { field: 'client_id' });
    world.clock.move(60_000);
    await setBrand({ ...OTHER, client_secret: 'wrong' });
    expect((await test()).body).toEqual({ valid: true, reason: null });
    expect((await test({ brand_id: brandId })).body).toMatchObject({ valid: false });
  });

  it('needs both parts of a pair, and a brand that exists', async ({ scene: { test } }) => {
    await expectRequired(test({ client_id: 'a' }), 'client_secret');
    await expectRequired(test({ client_secret: 'a' }), 'client_id');
    await expectRefusal(test({ brand_id: 'brd_none' }), 'brand.not_found', { resource: 'brand', id: 'brd_none' });
  });

  it('says what X says, and when it is asked too often', async ({ scene: { world, test } }) => {
    const busy = { client_id: 'any', client_secret: 'busy' };
    await expectRefusal(test(busy), 'platform.twitter.rate_limit');
    for (let n = 0; n < 4; n += 1) await test(busy);
    const answer = await world.rest('POST /v1/platforms/twitter/credentials/test', busy);
    expect([answer.status, answer.body.error.code]).toEqual([429, 'byok.test_rate_limited']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await expectRefusal(test(busy), 'byok.test_rate_limited');
    world.clock.move(60_000);
    await expectRefusal(test(busy), 'platform.twitter.rate_limit');
  });
});

it('answers 501 on a server without X', async () => {
  const world = await makeWorld({ surroundings: { platforms: new Map() } });
  const brand_id = world.brandId;
  for (const [name, input] of [
    ['list_twitter_credentials', {}],
    ['set_twitter_credentials', APP],
    ['delete_twitter_credentials', {}],
    ['set_brand_twitter_credentials', { brand_id, ...APP }],
    ['delete_brand_twitter_credentials', { brand_id }],
    ['test_twitter_credentials', {}],
  ] as const)
    await expectLacking(call(world, name, input), 'credentials', 'twitter');
});
