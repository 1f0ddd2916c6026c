import { describe, expect, test } from 'vitest';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { inHours, postOf, withAccount } from '../../harness/worlds/posts.ts';

const it = test.extend('world', () => withAccount());

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
