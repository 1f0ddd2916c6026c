import { HOUR } from '#kernel/clock.ts';
import { describe, expect, it } from 'vitest';
import type { OAuthClient, OAuthConnect } from '#platforms/connect.ts';
import { authorityOver } from '#kernel/authority.ts';
import { PlatformError } from '#platforms/errors.ts';
import { newBrand } from '../harness/calls/operations.ts';
import { list, refusalOf } from '../harness/calls/rest.ts';
import { fakePlatform } from '../harness/platforms/fake.ts';
import { describeStores, type Stores } from '../harness/stores/stores.ts';
import { makeWorld } from '../harness/world.ts';

const SLUG = 'twitter';
const APP_1: OAuthClient = { clientId: 'client-one', clientSecret: 'secret-one' };
const APP_2: OAuthClient = { clientId: 'client-two', clientSecret: 'secret-two' };
const SERVER = { TWITTER_CLIENT_ID: 'server-app', TWITTER_CLIENT_SECRET: 'server-secret' };

/** A platform that customers bring their own apps to; it notes the app of every call. */
function appPlatform() {
  const seen: string[] = [];
  let people = 0;
  const note = (what: string, { clientId, clientSecret }: OAuthClient) =>
    void seen.push(`${what} ${clientId} ${clientSecret}`);
  const connect: OAuthConnect = {
    kind: 'oauth',
    customerApps: {
      secrets: ['consumer_key', 'consumer_secret'],
      async check(_call, client) {
        if (client.clientSecret === 'down') throw new PlatformError('unknown', 'api_error', 'No answer.');
        const valid = client.clientSecret.startsWith('secret-');
        return { valid, reason: valid ? null : 'The platform does not know this pair.' };
      },
    },
    async begin(_call, { client }) {
      note('begin', client);
      return { url: 'https://consent.example/', secrets: {} };
    },
    async finish(call, { client, params }) {
      note('finish', client);
      people += 1;
      const id = params['code'] === 'same' ? 'same' : `user-${people}`;
      const profile = { platform_user_id: id, username: id, name: id };
      return [{ profile, session: { token: id }, expiresAt: call.now() + HOUR }];
    },
    async refresh(call, client) {
      note('refresh', client);
      return { session: { ...call.session, renewed: call.now() }, expiresAt: call.now() + HOUR };
    },
    async revoke(_call, client) {
      note('revoke', client);
    },
  };
  return { seen, platform: fakePlatform(SLUG, { connect, limits: async () => ({}) }) };
}

async function scene({ env, place }: { env?: Record<string, string>; place?: Stores['place'] } = {}) {
  const { seen, platform } = appPlatform();
  const world = await makeWorld({
    ...(env && { env }),
    ...(place && { store: await place() }),
    surroundings: { platforms: new Map([[SLUG, platform]]) },
  });
  const { apps } = world.product.modules;
  const authority = authorityOver(world.workspaceId);
  const set = (client: OAuthClient, brand?: string) => apps.set(authority, SLUG, brand, client);
  const remove = (brand?: string) => apps.remove(authority, SLUG, brand);
  const start = (brand_id?: string) => world.rest('POST /v1/accounts/connect', { platform: SLUG, brand_id });
  /** Connects an account from its start to its end; answers its id. */
  async function connect(brand_id?: string, code = 'any'): Promise<string> {
    const { state } = (await start(brand_id)).body;
    const { body, status } = await world.rest('POST /v1/oauth/exchange', { code, state });
    expect([status, body]).toMatchObject([201, {}]);
    return body.account_id;
  }
  const use = (id: string) => world.rest(`GET /v1/accounts/${id}/limits`);
  const brand = () => newBrand(world);
  const accounts = () => list(world, '/v1/accounts');
  const test = (ask: object) => apps.test(authority, SLUG, ask);
  return { world, seen, apps, authority, set, remove, start, connect, use, brand, accounts, test };
}

describe('the app of a connection', () => {
  it('is missing where neither the customer nor the server has one', async () => {
    const { start, set } = await scene();
    expect(await refusalOf(start())).toEqual([412, 'byok.credentials_missing']);
    await set(APP_1);
    expect((await start()).status).toBe(202);
  });

  it('is that of the brand, else of the workspace, else of the server', async () => {
    const { set, connect, brand, seen, accounts } = await scene({ env: SERVER });
    const other = await brand();
    await connect(await brand());
    expect(seen.splice(0)).toEqual(['begin server-app server-secret', 'finish server-app server-secret']);
    await set(APP_1);
    await connect(await brand());
    expect(seen.splice(0)).toEqual(['begin client-one secret-one', 'finish client-one secret-one']);
    await set(APP_2, other);
    await connect(other);
    expect(seen.splice(0)).toEqual(['begin client-two secret-two', 'finish client-two secret-two']);
    const sources = (await accounts()).map(({ metadata }) => metadata);
    expect(sources).toEqual([{ byok_source: 'brand' }, { byok_source: 'user' }, {}]);
  });

  it('finishes what it began, though it is replaced meanwhile', async () => {
    const { world, set, start, seen } = await scene();
    await set(APP_1);
    const { state } = (await start()).body;
    await set(APP_2);
    expect((await world.rest('POST /v1/oauth/exchange', { code: 'c', state })).status).toBe(201);
    expect(seen.at(-1)).toBe('finish client-one secret-one');
  });

  it('cannot finish what it began when it is removed meanwhile', async () => {
    const { world, set, remove, start, accounts } = await scene();
    await set(APP_1);
    const { state } = (await start()).body;
    await remove();
    const finished = world.rest('POST /v1/oauth/exchange', { code: 'c', state });
    expect(await refusalOf(finished)).toEqual([412, 'byok.credentials_missing']);
    expect(await accounts()).toEqual([]);
  });
});

describeStores('the app of an account', (stores) => {
  it('stays the one it was connected with, until it is connected again', async () => {
    const { world, set, connect, use, seen } = await scene(stores);
    await set(APP_1);
    const id = await connect(world.brandId, 'same');
    await set(APP_2);
    world.clock.move(HOUR);
    expect((await use(id)).status).toBe(200);
    expect(seen.at(-1)).toBe('refresh client-one secret-one');
    await connect(world.brandId, 'same');
    world.clock.move(HOUR);
    expect((await use(id)).status).toBe(200);
    expect(seen.at(-1)).toBe('refresh client-two secret-two');
    expect((await world.rest(`DELETE /v1/accounts/${id}`)).body.revoked).toBe(true);
    expect(seen.at(-1)).toBe('revoke client-two secret-two');
  });

  it('has its new secret where the same app is stored again', async () => {
    const { world, set, connect, use, seen } = await scene(stores);
    await set(APP_1);
    const id = await connect();
    await set({ ...APP_1, clientSecret: 'secret-new' });
    world.clock.move(HOUR);
    expect((await use(id)).status).toBe(200);
    expect(seen.at(-1)).toBe('refresh client-one secret-new');
  });

  it('takes its accounts along when it is removed, retired ones too, with one event each', async () => {
    const { world, set, remove, connect, brand, accounts } = await scene(stores);
    const receiver = await world.receive(['account.disconnected']);
    const other = await brand();
    await set(APP_1);
    await connect();
    await set(APP_2);
    await connect();
    await set(APP_2, other);
    await connect(other);
    expect(await remove()).toMatchObject({ success: true });
    const statuses = (await accounts()).map(({ status }) => status);
    expect(statuses).toEqual(['active', 'reconnect_required', 'reconnect_required']);
    await world.settle();
    expect(receiver.received.map(({ body }) => body.data['reason'])).toEqual(['access_revoked', 'access_revoked']);
    expect(await world.product.store.db.selectFrom('apps').select('brand_id').execute()).toEqual([{ brand_id: other }]);
    await expect(remove()).rejects.toMatchObject({ code: 'resource.not_found' });
  });

  it('is swept once it is retired and no account uses it', async () => {
    const { world, set, connect } = await scene(stores);
    const stored = async () => (await world.product.store.db.selectFrom('apps').select('client_id').execute()).length;
    await set(APP_1);
    const id = await connect();
    await set(APP_2);
    await world.pass(2 * HOUR);
    expect(await stored()).toBe(2);
    await world.rest(`DELETE /v1/accounts/${id}`);
    await world.pass(2 * HOUR);
    expect(await stored()).toBe(1);
  });

  it('is stored once, though two store it at the same moment', async () => {
    const { apps, authority, set } = await scene(stores);
    await Promise.all([APP_1, APP_2, APP_1, APP_2].map((app) => set(app)));
    expect(await apps.list(authority, SLUG)).toHaveLength(1);
  });
});

describe('stored credentials', () => {
  it('are listed without anything secret, that of the workspace and those of brands', async () => {
    const { world, apps, authority, set } = await scene();
    const first = await set({ ...APP_1, secrets: { consumer_key: 'ck', consumer_secret: 'cs' } });
    await set(APP_2, world.brandId);
    const rows = await apps.list(authority, SLUG);
    expect(first).toEqual(rows[0]);
    expect(rows).toMatchObject([
      { brand_id: null, client_id_hint: 'client' },
      { brand_id: world.brandId, client_id_hint: 'client' },
    ]);
    const { sealed } = await world.product.store.db.selectFrom('apps').select('sealed').executeTakeFirstOrThrow();
    expect(JSON.stringify([rows, sealed, world.log])).not.toMatch(/secret-one|secret-two/);
  });

  it('have no secrets that the platform does not know', async () => {
    const { set } = await scene();
    const invalid = { code: 'validation.field_invalid', detail: { meta: { field: 'private_key' } } };
    await expect(set({ ...APP_1, secrets: { private_key: 'x' } })).rejects.toMatchObject(invalid);
  });

  it('go with their workspace', async () => {
    const { world, set } = await scene();
    await set(APP_1);
    expect((await world.rest('DELETE /v1/users/me')).status).toBe(200);
    expect(await world.product.store.db.selectFrom('apps').select('id').execute()).toEqual([]);
  });

  it('belong to their workspace and to brands that exist', async () => {
    const { world, apps, set } = await scene();
    await set(APP_1);
    const { workspaceId } = await world.stranger();
    expect(await apps.list(authorityOver(workspaceId), SLUG)).toEqual([]);
    const setting = apps.set(authorityOver(workspaceId), SLUG, world.brandId, APP_1);
    await expect(setting).rejects.toMatchObject({ code: 'brand.not_found' });
  });

  it('are not taken by a platform to which customers bring no apps', async () => {
    const { apps, authority } = await scene();
    await expect(apps.list(authority, 'facebook')).rejects.toMatchObject({ code: 'resource.not_supported' });
  });

  it('are tested as given or as stored, five times a minute', async () => {
    const { world, set, test } = await scene();
    await expect(test({})).rejects.toMatchObject({ code: 'byok.credentials_missing', status: 412 });
    await set(APP_1);
    expect(await test({})).toEqual({ valid: true, reason: null });
    await expect(test({ brandId: world.brandId })).rejects.toMatchObject({ code: 'byok.credentials_missing' });
    const client = { clientId: 'x', clientSecret: 'wrong' };
    expect(await test({ client })).toEqual({ valid: false, reason: 'The platform does not know this pair.' });
    const down = test({ client: { ...client, clientSecret: 'down' } });
    await expect(down).rejects.toMatchObject({ code: 'platform.twitter.api_error' });
    await test({});
    await test({});
    await expect(test({})).rejects.toMatchObject({ code: 'byok.test_rate_limited', status: 429 });
    world.clock.move(60_000);
    expect(await test({})).toMatchObject({ valid: true });
  });
});
