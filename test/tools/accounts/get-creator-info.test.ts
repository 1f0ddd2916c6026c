import { describe, expect, it } from 'vitest';
import type { CreatorInfo } from '#platforms/platform.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { endSession, accountWorld } from '../../harness/worlds/account.ts';

const creator: CreatorInfo = {
  nickname: 'Ann',
  avatar_url: null,
  can_post: true,
  max_video_duration_sec: 600,
  privacy_level_options: ['PUBLIC_TO_EVERYONE'],
  interaction_settings: { comment_disabled: false },
};

describe('get_creator_info', () => {
  it('answers what the creator may do', async () => {
    const { world, accountId: account_id } = await accountWorld({ creator: () => creator }, 'tiktok');
    expect((await call(world, 'get_creator_info', { account_id })).body).toEqual({ platform: 'tiktok', ...creator });
    await expectRefusal(call(world, 'get_creator_info', { account_id: 'acc_none' }), 'account.not_found');
    await endSession(world, account_id);
    await expectRefusal(call(world, 'get_creator_info', { account_id }), 'account.reconnection_required');
  });

  it('is not supported where there is no such thing', async () => {
    const { world, accountId: account_id } = await accountWorld({});
    const refused = call(world, 'get_creator_info', { account_id });
    await expectRefusal(refused, 'resource.not_supported', { platform: 'facebook' });
  });
});
