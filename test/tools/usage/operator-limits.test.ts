import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { call, callThrough, DOORS, expectRefusal, onFreePlan } from '../../harness/calls/operations.ts';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { makeWorld, type Json, type World } from '../../harness/world.ts';
import { credentialsOf } from '../../harness/platforms/bluesky-people.ts';

describe('PROFILE_UNITS', () => {
  const start = async () => {
    const world = await makeWorld({ env: { PROFILE_UNITS: 'on' } });
    await onFreePlan(world);
    const connect = () => facebookOf(world).connect(undefined, { brand_id: world.brandId });
    const pages = async (account: string): Promise<Json[]> =>
      (await call(world, 'list_account_pages', { account_id: account })).body.data;
    return { world, connect, pages };
  };

  it('counts pages beyond the first of an account with brands', async () => {
    const { world, connect, pages } = await start();
    const { id } = await connect();
    expect((await call(world, 'get_usage')).body).toMatchObject({
      profile_units_used: 2,
      profile_units_limit: 2,
      page_allowance: 1,
      page_billing_exempt: false,
    });
    const refused = { plan: 'free', max: 2 };
    await expectRefusal(call(world, 'create_brand', { name: 'Second' }), 'billing.profile_units_limit', refused);
    const [first, second] = await pages(id);
    const turn = (page: Json, is_active: boolean) =>
      call(world, 'update_account_page', { account_id: id, page_id: page.id, is_active });
    await turn(second, false);
    expect((await call(world, 'create_brand', { name: 'Second' })).ok).toBe(true);
    await expectRefusal(turn(second, true), 'billing.profile_units_limit', refused);
    // One that is active already adds nothing.
    expect((await turn(first, true)).ok).toBe(true);
    expect((await call(world, 'get_usage')).body).toMatchObject({ profile_units_used: 2, page_allowance: 0 });
    await expectRefusal(call(world, 'create_brand', { name: 'Third' }), 'billing.brands_limit', refused);
  });

  it('leaves pages inactive that an account brings beyond the plan', async () => {
    const { world, connect, pages } = await start();
    await call(world, 'create_brand', { name: 'Second' });
    const { id } = await connect();
    expect((await pages(id)).map(({ is_active }) => is_active)).toEqual([true, false]);
    await world.pass(86_400_000 * 2);
    expect((await pages(id)).map(({ is_active }) => is_active)).toEqual([true, false]);
  });

  it('refuses a brand that an account would need, and is off by default', async () => {
    const { world, connect } = await start();
    await connect();
    const connecting = call(world, 'connect_account', { platform: 'bluesky', metadata: credentialsOf(world) });
    await expectRefusal(connecting, 'billing.profile_units_limit');
    const open = await makeWorld();
    await onFreePlan(open);
    await facebookOf(open).connect(undefined, { brand_id: open.brandId });
    expect((await call(open, 'create_brand', { name: 'Second' })).ok).toBe(true);
    const usage = { profile_units_used: 3, page_allowance: -1, page_billing_exempt: true };
    expect((await call(open, 'get_usage')).body).toMatchObject(usage);
  });
});

describe('PLAN_PLATFORMS', () => {
  it('leaves a plan without the platforms that are not named', async () => {
    const world = await makeWorld({ env: { PLAN_PLATFORMS: 'free=bluesky telegram, starter=bluesky' } });
    const account = await facebookOf(world).connect();
    const connect = (platform: string) => call(world, 'connect_account', { platform, brand_id: world.brandId });
    expect((await connect('facebook')).ok).toBe(true);
    await onFreePlan(world);
    expect((await call(world, 'get_me')).body.allowed_platforms).toEqual(['bluesky', 'telegram']);
    const refused = ['billing.platform_not_available', { plan: 'free' }] as const;
    await expectRefusal(connect('facebook'), ...refused);
    const guest = { brand_id: world.brandId, platform: 'facebook', expires_in_days: 1 };
    await expectRefusal(call(world, 'create_invite', guest), ...refused);
    const post = { text: 'Hi', account_ids: [account.id], publish_now: true };
    await expectRefusal(call(world, 'create_post', post), ...refused);
    expect((await connect('bluesky')).ok).toBe(true);
  });
});

describe('BETA_TOOLSETS', () => {
  it('opens operations to testers alone, and lists them to nobody else', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rostra-beta-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const store = { file: join(folder, 'rostra.db') };
    const before = await makeWorld({ store });
    await before.end();
    const env = { BETA_TOOLSETS: 'invites', BETA_TESTERS: `usr_none, ${before.userId}` };
    const world = await makeWorld({ store, env, after: before });
    const { key } = await world.stranger();
    const brand = async (as: string) => (await world.rest('GET /v1/brands', undefined, { key: as })).body.data[0].id;
    for (const via of DOORS) {
      const list = async (as: string) =>
        callThrough(world, via, 'list_invites', { brand_id: await brand(as) }, { key: as });
      expect((await list(world.key)).ok).toBe(true);
      await expectRefusal(list(key), 'auth.beta_only');
    }
    const testers = [];
    for (const as of [key, world.key]) {
      const me = (await call(world, 'get_me', {}, { key: as })).body;
      testers.push([me.beta_tester, (await toolsOf(world, as)).includes('list_invites')]);
    }
    expect(testers).toEqual([
      [false, false],
      [true, true],
    ]);
  });
});

async function toolsOf(world: World, key: string): Promise<string[]> {
  const response = await fetch(`${world.root}/mcp`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  return ((await response.json()) as Json).result.tools.map(({ name }: Json) => name);
}

it('settings that name what there is none of stop the start', async () => {
  const read = (env: Record<string, string>) => readConfig([], env);
  expect(() => read({ PLAN_PLATFORMS: 'hobby=bluesky' })).toThrow(/^PLAN_PLATFORMS must name plans; hobby is not one/);
  expect(() => read({ PLAN_PLATFORMS: 'free=friendster' })).toThrow(/must name platforms; friendster is not one/);
  for (const none of ['free', 'free=', 'free= , starter=bluesky'])
    expect(() => read({ PLAN_PLATFORMS: none })).toThrow(/must say which platforms free includes/);
  expect(() => read({ BETA_TOOLS: 'x' })).toThrow(ConfigError);
  expect(() => read({ BETA_TESTERS: 'you@example.org' })).toThrow(/^BETA_TESTERS must be ids of users/);
  await expect(makeWorld({ env: { BETA_TOOLSETS: 'nothing' } })).rejects.toThrow(/BETA_TOOLSETS names nothing/);
});
