import { describe, expect, test } from 'vitest';
import { call, expectInvalid, expectRefusal } from '../../harness/calls/operations.ts';
import { inHours, postOf, withAccount } from '../../harness/worlds/post-stage.ts';

const it = test.extend('world', () => withAccount());

describe('get_post', () => {
  it('shows a post by its own id and by the platform’s', async ({ world }) => {
    const post = await postOf(world, { publish_now: true });
    const { body } = await call(world, 'get_post', { post_id: post.id });
    expect(body).toEqual(post);
    const byPlatform = await call(world, 'get_post', { post_id: post.targets[0].platform_post_id });
    expect(byPlatform.body).toEqual(post);
  });

  it('refuses what is not there, elsewhere, or several', async ({ world }) => {
    const [one, two] = [
      await postOf(world, { publish_now: true }),
      await postOf(world, { text: 'Other', publish_now: true }),
    ];
    await expectRefusal(call(world, 'get_post', { post_id: 'post_no' }), 'post.not_found', { id: 'post_no' });
    const { key } = await world.stranger();
    await expectRefusal(call(world, 'get_post', { post_id: one.id }, { key }), 'post.not_found');
    const platform_post_id = one.targets[0].platform_post_id;
    await world.product.store.write(({ db }) =>
      db.updateTable('targets').set({ platform_post_id }).where('post_id', '=', two.id).execute(),
    );
    await expectRefusal(call(world, 'get_post', { post_id: platform_post_id }), 'resource.conflict');
  });
});

describe('list_posts', () => {
  it('pages posts by their time, filtered', async ({ world }) => {
    const later = await postOf(world, { text: 'Later', scheduled_at: inHours(world, 2) });
    const sooner = await postOf(world, { text: 'Sooner', scheduled_at: inHours(world, 1) });
    await postOf(world, { text: 'Draft', account_ids: [] });
    const list = async (input: object) => (await call(world, 'list_posts', { ...input })).body;
    const first = await list({ limit: 1, status: ['scheduled'] });
    expect(first.data).toMatchObject([{ id: sooner.id }]);
    expect(first.pagination).toEqual({ has_more: true, next_cursor: first.next_cursor, limit: 1 });
    const second = await list({ limit: 1, cursor: first.next_cursor });
    expect([second.data[0].id, second.pagination.has_more, second.next_cursor]).toEqual([later.id, false, '']);
    expect((await list({ account_id: world.account.id, sort: 'created_desc' })).data).toHaveLength(2);
    expect((await list({ search: 'draft' })).data).toHaveLength(1);
    expect((await list({ limit: 500 })).pagination.limit).toBe(100);
  });

  it('refuses unknown accounts and brands, cursors of other lists, and limits below one', async ({ world }) => {
    const refused = (input: object, code: string, meta: object) =>
      expectRefusal(call(world, 'list_posts', { ...input }), code, { ...meta });
    await refused({ account_ids: ['acc_no'] }, 'account.not_found', { id: 'acc_no' });
    await refused({ brand_id: 'brd_no' }, 'brand.not_found', { id: 'brd_no' });
    await refused({ cursor: 'bm9wZQ' }, 'validation.field_invalid', { field: 'cursor' });
    for (const from of ['0000-01-01T00:00:00+00:01', '9999-12-31T23:59:59.999-00:01'])
      await refused({ from }, 'validation.field_invalid', { field: 'from' });
    const whole = { from: '0000-01-01T00:00:00Z', to: '9999-12-31T23:59:59.999Z' };
    expect((await call(world, 'list_posts', whole)).body.data).toEqual([]);
    await refused({ limit: 0 }, 'validation.field_invalid', { field: 'limit' });
  });
});

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
    for (const days of [0, 8]) await expectInvalid(call(world, 'list_post_logs', { days }), 'days');
  });
});
