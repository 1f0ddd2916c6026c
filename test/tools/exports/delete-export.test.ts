import { describe, expect } from 'vitest';
import { fileRoutes } from '#serve/http/file-routes.ts';
import { it as test } from '../../harness/world.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { openWorld } from '../../harness/worlds/http.ts';
import { download, exportWorld, postsOf } from '../../engine/exports/world.ts';

const it = test.extend('opened', () => exportWorld());
const MANY = 1_200;

describeDashboardCallers('delete_export', { export_id: 'exp_none' });

describe('delete_export', () => {
  it('removes it from every list, its files at once, and its posts soon', async () => {
    const { world, finished } = await exportWorld({ posts: postsOf(MANY) });
    const key = await dashboardToken(world);
    const { id: export_id, result } = await finished();
    const { status, body } = await call(world, 'delete_export', { export_id }, { key });
    expect([status, body]).toEqual([200, { success: true, ok: true, id: export_id }]);
    expect((await download(result.excel_url)).status).toBe(404);
    for (const name of ['get_export', 'get_export_videos', 'delete_export'])
      await expectRefusal(call(world, name, { export_id }, { key }), 'resource.not_found', { resource: 'export' });
    expect((await call(world, 'list_exports')).body.data).toEqual([]);
    await world.settle();
    expect(await world.product.store.db.selectFrom('export_posts').select('platform_id').execute()).toEqual([]);
    const { body: events } = await call(world, 'list_events', { category: 'account' });
    expect(events.events[0]).toMatchObject({ action: 'export_deleted', resource_id: export_id });
  });

  it('breaks off a download that goes on, which must not look whole', async () => {
    const { world, finished } = await exportWorld({ posts: postsOf(MANY) });
    const key = await dashboardToken(world);
    const { id: export_id, result } = await finished();
    const opened = await world.product.modules.exports.open(new URL(result.excel_url).pathname.split('/')[2]!);
    expect((await call(world, 'delete_export', { export_id }, { key })).ok).toBe(true);
    await world.settle();
    const { rootUrl } = await openWorld({ routes: fileRoutes({ open: async () => opened }) });
    const reading = download(`${rootUrl}/files/token/name`).then((answer) => answer.arrayBuffer());
    await expect(reading).rejects.toThrow();
  });

  it('ends one that still runs, which then costs nothing', async ({ opened: { world, begin, finished } }) => {
    const key = await dashboardToken(world);
    const export_id = await begin();
    const used = async () => (await world.product.store.db.selectFrom('usage').select('exports').execute())[0]?.exports;
    expect(await used()).toBe(1);
    expect((await call(world, 'delete_export', { export_id }, { key })).ok).toBe(true);
    await world.settle();
    expect(await used()).toBe(0);
    expect(await world.product.store.db.selectFrom('export_posts').select('platform_id').execute()).toEqual([]);
    expect((await finished()).status).toBe('completed');
  });

  it('does not shorten the pause between exports', async () => {
    const { world, accountId, finished } = await exportWorld(undefined, { plan: 'pro' });
    const key = await dashboardToken(world);
    const { id: export_id } = await finished();
    await call(world, 'delete_export', { export_id }, { key });
    await expectRefusal(call(world, 'create_export', { account_id: accountId }), 'billing.export_cooldown');
  });

  it('knows nothing of other workspaces', async ({ opened: { world, finished } }) => {
    const { id: export_id } = await finished();
    const other = (await world.product.modules.users.create('other@example.org', 'Other'))!;
    const key = await dashboardToken(world, other.userId);
    await expectRefusal(call(world, 'delete_export', { export_id }, { key }), 'resource.not_found');
    expect((await call(world, 'get_export', { export_id })).ok).toBe(true);
  });
});
