import { describe, expect, test } from 'vitest';
import { describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { expectRefusal } from '../../harness/calls/operations.ts';
import type { Json } from '../../harness/world.ts';
import { KEY, migrationWorld, send } from '../../engine/migrations/world.ts';

const it = test.extend('migration', () => migrationWorld());

describeDashboardCallers('stop_migration', { provider: 'zernio' });

describe('stop_migration', () => {
  it('erases the key and what was read, and ends the base URL', async ({ migration: { world, start, stop, get } }) => {
    await expectRefusal(stop(), 'resource.not_found', { resource: 'migration' });
    await start();
    expect((await send(world, '/v1/posts')).status).toBe(200);
    const { status, body } = await stop();
    expect([status, body]).toEqual([200, { success: true, ok: true, id: expect.stringMatching(/^mig_/) }]);
    expect(await world.product.store.db.selectFrom('migrations').selectAll().execute()).toEqual([]);
    const refused = await send(world, '/v1/posts');
    expect([refused.status, ((await refused.json()) as Json).error.code]).toEqual([404, 'resource.not_found']);
    expect(await get()).toMatchObject({ started: false, base_url: null, key_hint: null, forwarded_calls: 0 });
    await expectRefusal(stop(), 'resource.not_found');
  });

  it('lets another one start, which counts anew', async ({ migration: { world, start, stop } }) => {
    await start();
    await send(world, '/v1/posts');
    await stop();
    world.clock.move(1000);
    const { body } = await start({ api_key: `${KEY}x` });
    expect(body).toMatchObject({ forwarded_calls: 0, created_at: '2026-01-15T09:00:01.000Z' });
    expect((await send(world, '/v1/posts')).status).toBe(404);
  });

  it('leaves both in the log of the workspace', async ({ migration: { world, start, stop } }) => {
    await start();
    await start();
    await stop();
    const rows = await world.product.store.db.selectFrom('log').select('action').orderBy('position').execute();
    expect(rows.map(({ action }) => action).filter((action) => action.startsWith('migration'))).toEqual([
      'migration_started',
      'migration_stopped',
    ]);
  });
});
