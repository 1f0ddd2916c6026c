import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { call, wholeList } from '../../harness/calls/operations.ts';

describeDashboardCallers('list_redirect_uris');

describe('list_redirect_uris', () => {
  it('lists what is registered, newest first, and nothing of others', async ({ world }) => {
    const key = await dashboardToken(world);
    const list = async (token = key) => (await call(world, 'list_redirect_uris', {}, { key: token })).body;
    expect(await list()).toEqual(wholeList(0, []));
    const ids: string[] = [];
    for (const uri of ['https://one.example/', 'https://two.example/']) {
      ids.push((await call(world, 'create_redirect_uri', { uri }, { key })).body.id);
      world.clock.move(1000);
    }
    expect(await list()).toEqual(
      wholeList(2, [
        { id: ids[1], uri: 'https://two.example/', label: null, created_at: '2026-01-15T09:00:01.000Z' },
        { id: ids[0], uri: 'https://one.example/', label: null, created_at: '2026-01-15T09:00:00.000Z' },
      ]),
    );
    const other = (await world.product.modules.users.create('other@example.org', 'Other'))!;
    expect(await list(await dashboardToken(world, other.userId))).toEqual(wholeList(0, []));
  });

  it('comes page by page where a limit is asked for', async ({ world }) => {
    const key = await dashboardToken(world);
    for (const uri of ['https://one.example/', 'https://two.example/'])
      await call(world, 'create_redirect_uri', { uri }, { key });
    const first = (await call(world, 'list_redirect_uris', { limit: 1 }, { key })).body;
    expect(first).toMatchObject({ count: 2, pagination: { has_more: true, limit: 1 } });
    const rest = (await call(world, 'list_redirect_uris', { cursor: first.next_cursor }, { key })).body;
    expect([rest.pagination.has_more, rest.data[0].uri]).toEqual([false, 'https://one.example/']);
  });
});
