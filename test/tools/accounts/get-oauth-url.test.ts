import { describe, expect } from 'vitest';
import { it, makeWorld, without } from '../../harness/world.ts';
import { call, expectRefusal, expectRequired, INVALID, onFreePlan } from '../../harness/calls/operations.ts';

const platform = 'bluesky';

describe('get_oauth_url', () => {
  it('gives the address for a platform', async ({ world }) => {
    const { status, body } = await call(world, 'get_oauth_url', { platform, brand_id: world.brandId, state: 'mine' });
    expect(status).toBe(200);
    expect(body).toEqual({
      auth_url: `${world.root}/connect/bluesky/form?state=${body.state}`,
      state: expect.stringMatching(/^[0-9a-f]{64}$/),
      message: expect.any(String),
      metadata: { sandbox: true },
    });
    expect(body.state).not.toBe('mine');
  });

  it('gives the address for an account, whose page says which one it is', async ({ world, account }) => {
    for (const more of [{}, { platform }, { brand_id: account.brand_id }]) {
      const { body } = await call(world, 'get_oauth_url', { account_id: account.id, ...more });
      const page = await (await fetch(body.auth_url)).text();
      expect(page).toContain(account.username);
    }
  });

  it('is no reading: every call makes another state', async ({ world }) => {
    const answers = await Promise.all([1, 2].map(() => call(world, 'get_oauth_url', { platform })));
    expect(new Set(answers.map(({ body }) => body.state)).size).toBe(2);
  });

  it('refuses what does not fit the account', async ({ world, account }) => {
    const refused = (input: object, code: string, meta: object) =>
      expectRefusal(call(world, 'get_oauth_url', { ...input }), code, { ...meta });
    await refused({}, 'validation.field_required', { field: 'account_id' });
    await refused({ account_id: account.id, platform: 'facebook' }, INVALID, { field: 'platform' });
    await refused({ account_id: account.id, brand_id: world.brandId }, INVALID, { field: 'brand_id' });
    await refused({ account_id: account.id, redirect_uri: 'http://example.org/' }, INVALID, { field: 'redirect_uri' });
    await refused({ platform, redirect_uri: 'ftp://example.org/' }, INVALID, { field: 'redirect_uri' });
    await refused({ platform, state: 'x'.repeat(513) }, INVALID, { field: 'state' });
    await refused({ platform, brand_id: 'brd_none' }, 'brand.not_found', { resource: 'brand', id: 'brd_none' });
    await refused({ account_id: 'acc_none' }, 'account.not_found', { resource: 'account', id: 'acc_none' });
    await refused({ platform: 'myspace' }, 'account.unsupported_platform', { field: 'platform' });
    const fewer = await makeWorld({ surroundings: { platforms: without('zalo') } });
    const absent = call(fewer, 'get_oauth_url', { platform: 'zalo' });
    await expectRefusal(absent, 'resource.not_supported', { platform: 'zalo' });
  });

  it('needs room for another brand, except where it may connect an account again', async ({ world }) => {
    await onFreePlan(world);
    await world.rest('POST /v1/brands', { name: 'Second' });
    await expectRefusal(call(world, 'get_oauth_url', { platform }), 'brand.limit_reached', { plan: 'free', max: 2 });
    const account = await world.connect(0, world.brandId);
    expect((await call(world, 'get_oauth_url', { platform })).ok).toBe(true);
    expect((await call(world, 'get_oauth_url', { account_id: account.id })).ok).toBe(true);
    expect((await call(world, 'get_oauth_url', { platform, brand_id: world.brandId })).ok).toBe(true);
  });

  it('keeps a key limited to brands to those', async ({ world, pair: [alice, bob] }) => {
    const key = await world.newKey({ brand_ids: [alice.brand_id] });
    expect((await call(world, 'get_oauth_url', { account_id: alice.id }, { key })).ok).toBe(true);
    const foreign = call(world, 'get_oauth_url', { account_id: bob.id }, { key });
    await expectRefusal(foreign, 'account.not_found', { id: bob.id });
    await expectRequired(call(world, 'get_oauth_url', { platform }, { key }), 'brand_id');
  });
});
