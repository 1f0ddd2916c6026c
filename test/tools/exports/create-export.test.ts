import { HOUR } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { it as test } from '../../harness/world.ts';
import { call, callMcp, expectRefusal } from '../../harness/calls/operations.ts';
import { endSession } from '../../harness/worlds/account.ts';
import { exportWorld, postsOf } from '../../engine/exports/world.ts';

const it = test.extend('opened', () => exportWorld());

describe('create_export', () => {
  it('accepts an export, with or without a body', async ({ opened: { world, accountId } }) => {
    const { status, body } = await world.rest(`POST /v1/accounts/${accountId}/export`);
    expect([status, body]).toEqual([
      202,
      expect.objectContaining({
        id: expect.stringMatching(/^exp_/),
        account_id: accountId,
        platform: 'facebook',
        status: 'pending',
        progress: 0,
        result: null,
        warnings: [],
        created_at: '2026-01-15T09:00:00.000Z',
      }),
    ]);
    await world.settle();
    const again = await callMcp(world, 'create_export', { account_id: accountId, include_transcript: false });
    expect(again.body.status).toBe('pending');
  });

  it('says what an export will lack, and makes it all the same', async ({ opened: { world, accountId } }) => {
    const wanted = { account_id: accountId, include_transcript: true, include_vision: true };
    const { body } = await call(world, 'create_export', wanted);
    expect(body.warnings).toEqual([
      expect.stringContaining('AI_TRANSCRIPT_MODEL'),
      expect.stringContaining('AI_VISION_MODEL'),
    ]);
    const free = await exportWorld(undefined, { plan: 'free' });
    const less = await call(free.world, 'create_export', { account_id: free.accountId, include_vision: true });
    expect(less.body.warnings).toEqual([expect.stringContaining('not part of the Free plan')]);
  });

  it('makes one of an account at a time', async ({ opened: { world, accountId: account_id } }) => {
    const { body } = await call(world, 'create_export', { account_id });
    await expectRefusal(call(world, 'create_export', { account_id }), 'billing.export_concurrent', { id: body.id });
    await world.settle();
    expect((await call(world, 'create_export', { account_id })).ok).toBe(true);
  });

  it('waits between two of an account as long as the plan says', async () => {
    const { world, accountId, finished } = await exportWorld(undefined, { plan: 'pro' });
    await finished();
    world.clock.move(HOUR / 2);
    const { status, headers, body } = await world.rest(`POST /v1/accounts/${accountId}/export`);
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([429, 'billing.export_cooldown', '1800']);
    await expectRefusal(call(world, 'create_export', { account_id: accountId }), 'billing.export_cooldown');
    world.clock.move(HOUR / 2);
    await finished();
  });

  it('takes as many as the plan has in a period, and not one more for parallel calls', async () => {
    const { world, accountId, telling, finished } = await exportWorld(undefined, { plan: 'free' });
    telling.refused.add(undefined);
    // What failed was free, and needs no pause.
    for (let n = 0; n < 3; n += 1) expect((await finished()).status).toBe('failed');
    telling.refused.clear();
    await finished();
    world.clock.move(7 * 24 * HOUR);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => world.rest(`POST /v1/accounts/${accountId}/export`)),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 429, 429, 429, 429]);
    await world.settle();
    world.clock.move(7 * 24 * HOUR);
    const more = call(world, 'create_export', { account_id: accountId });
    await expectRefusal(more, 'billing.export_limit', { plan: 'free', max: 2 });
    world.clock.move(30 * 24 * HOUR);
    expect((await finished()).status).toBe('completed');
  });

  it('refuses accounts that cannot be exported', async ({ opened: { world, accountId: account_id } }) => {
    await expectRefusal(call(world, 'create_export', { account_id: 'acc_none' }), 'account.not_found');
    const stranger = await world.stranger();
    await expectRefusal(call(world, 'create_export', { account_id }, { key: stranger.key }), 'account.not_found');
    await endSession(world, account_id);
    await expectRefusal(call(world, 'create_export', { account_id }), 'account.reconnection_required');
    const none = await exportWorld({ posts: undefined });
    await expectRefusal(call(none.world, 'create_export', { account_id: none.accountId }), 'resource.not_supported');
  });

  it('keeps to the limits of the plan', async () => {
    const { finished } = await exportWorld({ posts: postsOf(40) }, { plan: 'free' });
    const { total_videos, warnings } = await finished();
    expect([total_videos, warnings]).toEqual([30, ['The plan includes only the newest 30 posts.']]);
  });
});
