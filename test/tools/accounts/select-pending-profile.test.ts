import { describe, expect, test } from 'vitest';
import { call, expectInvalid, expectRefusal } from '../../harness/calls/operations.ts';
import { choiceWorld } from '../../harness/worlds/consent.ts';

const it = test.extend('choice', () => choiceWorld());

describe('select_pending_profile', () => {
  const select = 'select_pending_profile';

  it('makes the account, once', async ({ choice: { world, connection_id } }) => {
    const { ok, body } = await call(world, select, { connection_id, platform_account_id: '2' });
    expect([ok, body.platform, body.username]).toEqual([true, 'google', 'user.2']);
    await expectRefusal(call(world, select, { connection_id, platform_account_id: '1' }), 'resource.not_found');
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(1);
  });

  it('stays open when the profile is none of them, and when the brand is taken', async () => {
    const { world, script, connection_id } = await choiceWorld(undefined, true);
    await expectInvalid(call(world, select, { connection_id, platform_account_id: '3' }), 'platform_account_id');
    script.profiles = script.profiles.slice(0, 1);
    const taken = await world.rest('POST /v1/oauth/exchange', {
      platform: 'google',
      code: 'x',
      brand_id: world.brandId,
    });
    expect(taken.status).toBe(201);
    await expectRefusal(call(world, select, { connection_id, platform_account_id: '2' }), 'resource.conflict');
    expect((await call(world, 'get_pending_connection', { connection_id })).ok).toBe(true);
  });

  it('is over after 30 minutes', async ({ choice: { world, connection_id } }) => {
    world.clock.move(30 * 60_000);
    await expectRefusal(call(world, select, { connection_id, platform_account_id: '1' }), 'resource.not_found');
  });
});
