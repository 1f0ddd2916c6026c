import { describe, expect, test } from 'vitest';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { inHours, postOf, withAccount } from '../../harness/worlds/posts.ts';

const it = test.extend('world', () => withAccount());

describe('list_post_logs', () => {
  it('lists what happened, newest first, filtered and paged', async ({ world }) => {
    const published = await postOf(world, { publish_now: true });
    world.clock.move(1);
    const cancelled = await postOf(world, { text: 'Later', scheduled_at: inHours(world, 1) });
    await call(world, 'delete_post', { post_id: cancelled.id });
    await call(world, 'unpublish_post', { post_id: published.id });
    const list = async (input: object) => (await call(world, 'list_post_logs', { ...input })).body;
    const entries = [
      { post_id: published.id, action: 'unpublish', status: 'success', attempt: 1, status_code: 200 },
      { post_id: cancelled.id, action: 'cancel', status: 'success' },
      { post_id: published.id, action: 'publish', status: 'success', attempt: 1, status_code: 200 },
    ];
    expect((await list({})).data).toMatchObject(entries);
    expect((await list({ action: 'cancel', days: 1, platform: 'bluesky' })).data).toMatchObject([entries[1]]);
    expect((await list({ post_id: published.id, account_id: world.account.id })).data).toMatchObject([
      entries[0],
      entries[2],
    ]);
    const first = await list({ limit: 2 });
    expect((await list({ limit: 1, cursor: first.next_cursor })).data).toMatchObject([entries[2]]);
  });

  it('knows no account that is not there', async ({ world }) => {
    const account_id = 'acc_none';
    await expectRefusal(call(world, 'list_post_logs', { account_id }), 'account.not_found', { id: account_id });
  });

  it('goes back seven days at most', async ({ world }) => {
    for (const days of [0, 8])
      await expectRefusal(call(world, 'list_post_logs', { days }), 'validation.field_invalid', { field: 'days' });
  });
});
