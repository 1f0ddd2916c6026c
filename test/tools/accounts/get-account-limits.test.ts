import { describe, expect, it } from 'vitest';
import { PlatformError } from '#platforms/errors.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { endSession, accountWorld } from '../../harness/worlds/account.ts';

describe('get_account_limits', () => {
  it('answers what the platform leaves', async () => {
    let left: Record<string, number> = { posts_remaining: 25 };
    const { world, accountId: account_id } = await accountWorld({ limits: () => left });
    expect((await call(world, 'get_account_limits', { account_id })).body).toEqual({ posts_remaining: 25 });
    left = {};
    expect((await call(world, 'get_account_limits', { account_id })).body).toEqual({});
  });

  it('refuses where the platform does not say', async () => {
    const limits = () => {
      throw new PlatformError('refused', 'permission_denied', 'Not yours to ask.');
    };
    const { world, accountId: account_id } = await accountWorld({ limits });
    await expectRefusal(call(world, 'get_account_limits', { account_id: 'acc_none' }), 'account.not_found');
    await expectRefusal(call(world, 'get_account_limits', { account_id }), 'platform.facebook.permission_denied');
    await endSession(world, account_id);
    await expectRefusal(call(world, 'get_account_limits', { account_id }), 'account.reconnection_required');
    const none = await accountWorld({});
    const refused = call(none.world, 'get_account_limits', { account_id: none.accountId });
    await expectRefusal(refused, 'resource.not_supported', { platform: 'facebook' });
  });
});
