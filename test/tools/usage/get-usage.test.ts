import { DAY } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectRefusal, onFreePlan } from '../../harness/calls/operations.ts';
import { publish } from '../../harness/calls/rest.ts';

describe('get_usage', () => {
  it('says unlimited by -1', async ({ world }) => {
    expect((await call(world, 'get_usage')).body).toEqual({
      brands_used: 1,
      brands_limit: -1,
      posts_used: 0,
      posts_limit: -1,
      interactions_used: 0,
      interactions_limit: -1,
      profile_units_used: 1,
      profile_units_limit: -1,
      page_allowance: -1,
      page_billing_exempt: true,
      period_start: '2026-01-15T09:00:00.000Z',
      period_end: '2026-02-14T09:00:00.000Z',
    });
  });

  it('counts brands as they come and go, and posts as they are accepted', async ({ world }) => {
    await onFreePlan(world);
    const account = await world.connect();
    for (const _ of [1, 2]) await publish(world, account.id, { text: 'Hi', skip_duplicate_check: true });
    await world.rest('POST /v1/posts', { text: 'a draft is free', account_ids: [account.id] });
    expect((await call(world, 'get_usage')).body).toMatchObject({
      brands_used: 2,
      brands_limit: 2,
      posts_used: 2,
      posts_limit: 10,
      interactions_limit: 50,
    });
    await world.rest(`DELETE /v1/brands/${world.brandId}`);
    expect((await call(world, 'get_usage')).body.brands_used).toBe(1);
  });

  it('begins anew every 30 days, to the millisecond', async ({ world }) => {
    await onFreePlan(world);
    const account = await world.connect();
    await publish(world, account.id, { text: 'Hi' });
    world.clock.move(30 * DAY - 1);
    expect((await call(world, 'get_usage')).body.posts_used).toBe(1);
    world.clock.move(1);
    expect((await call(world, 'get_usage')).body).toMatchObject({
      posts_used: 0,
      period_start: '2026-02-14T09:00:00.000Z',
      period_end: '2026-03-16T09:00:00.000Z',
    });
  });

  it('keeps the counters of periods for two months', async ({ world }) => {
    const account = await world.connect();
    for (let month = 1; month <= 5; month += 1) {
      await publish(world, account.id, { text: `Post ${month}` });
      world.clock.move(30 * DAY);
    }
    const rows = await world.product.store.db.selectFrom('usage').selectAll().execute();
    expect(rows.map(({ posts }) => posts)).toEqual([1, 1, 1]);
  });

  it('knows when the workspace is gone before the key is', async ({ world }) => {
    await call(world, 'get_usage');
    await world.product.store.write(({ db }) =>
      db.deleteFrom('workspaces').where('id', '=', world.workspaceId).execute(),
    );
    await expectRefusal(call(world, 'get_usage'), 'auth.user_not_found');
  });
});
