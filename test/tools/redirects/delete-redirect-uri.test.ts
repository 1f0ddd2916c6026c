import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';

describeDashboardCallers('delete_redirect_uri', { redirect_uri_id: 'rdr_none' });

describe('delete_redirect_uri', () => {
  it('removes an address; without any, connections may end anywhere again', async ({ world }) => {
    const key = await dashboardToken(world);
    const connect = () =>
      call(world, 'connect_account', { platform: 'bluesky', redirect_uri: 'https://elsewhere.example/' });
    const ids: string[] = [];
    for (const uri of ['https://one.example/', 'https://two.example/'])
      ids.push((await call(world, 'create_redirect_uri', { uri }, { key })).body.id);
    for (const redirect_uri_id of ids) {
      expect((await connect()).code).toBe('auth.oauth.invalid_redirect');
      const { status, body } = await call(world, 'delete_redirect_uri', { redirect_uri_id }, { key });
      expect([status, body]).toEqual([200, { success: true, ok: true, id: redirect_uri_id }]);
    }
    expect((await connect()).status).toBe(202);
    const again = call(world, 'delete_redirect_uri', { redirect_uri_id: ids[0] }, { key });
    await expectRefusal(again, 'resource.not_found', { resource: 'redirect_uri' });
  });

  it('knows nothing of other workspaces', async ({ world }) => {
    const key = await dashboardToken(world);
    const { id } = (await call(world, 'create_redirect_uri', { uri: 'https://one.example/' }, { key })).body;
    const other = (await world.product.modules.users.create('other@example.org', 'Other'))!;
    const theirs = { key: await dashboardToken(world, other.userId) };
    await expectRefusal(call(world, 'delete_redirect_uri', { redirect_uri_id: id }, theirs), 'resource.not_found');
    expect((await call(world, 'list_redirect_uris', {}, { key })).body.count).toBe(1);
  });
});
