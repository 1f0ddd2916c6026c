import { describe, expect } from 'vitest';
import { MINUTE } from '#kernel/clock.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { ListedPost } from '#platforms/posts.ts';
import { it as test } from '../../harness/world.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { endSession, accountWorld } from '../../harness/worlds/account.ts';

const it = test.extend('opened', () => accountWorld({ posts }));

const posts: readonly ListedPost[] = [
  {
    platform_post_id: 'p1',
    text: 'From elsewhere',
    created_at: Date.UTC(2026, 0, 10),
    media: [{ type: 'image', url: 'https://told.test/p1.png' }],
    metrics: { likes: 1, comments: 2, shares: 0, saves: 0 },
  },
];

describe('sync_account', () => {
  it('brings posts that were published elsewhere', async ({ opened: { world, accountId: account_id } }) => {
    expect((await call(world, 'sync_account', { account_id })).body).toEqual({});
    const { data } = (await call(world, 'list_posts', { account_ids: [account_id] })).body;
    expect(data).toEqual([
      expect.objectContaining({
        text: 'From elsewhere',
        status: 'published',
        published_at: '2026-01-10T00:00:00.000Z',
        targets: [expect.objectContaining({ platform_post_id: 'p1', metrics: posts[0]!.metrics })],
      }),
    ]);
    expect((await world.rest('GET /v1/usage')).body.posts_used).toBe(0);
    await expectRefusal(call(world, 'sync_account', { account_id }), 'account.sync_cooldown', { id: account_id });
  });

  it('goes past pages without posts, as far as is sensible', async ({ opened: { world, telling, accountId } }) => {
    const sync = async (blank: number) => {
      telling.blank = blank;
      telling.listed.length = 0;
      world.clock.move(5 * MINUTE);
      expect((await world.rest(`POST /v1/accounts/${accountId}/sync`)).status).toBe(200);
      return [telling.listed.length, (await world.rest('GET /v1/posts')).body.data.length];
    };
    expect(await sync(99)).toEqual([10, 0]);
    expect(await sync(3)).toEqual([4, 1]);
  });

  it('leaves what was reported of the conversations alone', async ({ world, account: { id: account_id } }) => {
    await world.settle();
    const told = async () => (await call(world, 'list_conversations', { account_id })).body.last_synced_at;
    const before = await told();
    expect(before).not.toBeNull();
    // Before the next poll, which does change it.
    world.clock.move(20_000);
    expect((await call(world, 'sync_account', { account_id })).ok).toBe(true);
    expect(await told()).toBe(before);
  });

  it('tells a client how long to wait', async ({ opened: { world, accountId } }) => {
    await world.rest(`POST /v1/accounts/${accountId}/sync`);
    world.clock.move(60_000);
    const { status, headers } = await world.rest(`POST /v1/accounts/${accountId}/sync`);
    expect([status, headers.get('retry-after')]).toEqual([429, '240']);
  });

  it('refuses what cannot be synced', async ({ opened: { world, telling, accountId: account_id } }) => {
    await expectRefusal(call(world, 'sync_account', { account_id: 'acc_none' }), 'account.not_found');
    Object.defineProperty(telling, 'posts', {
      get() {
        throw new PlatformError('unknown', 'api_error', 'No answer.');
      },
    });
    await expectRefusal(call(world, 'sync_account', { account_id }), 'platform.facebook.api_error');
    await endSession(world, account_id);
    await expectRefusal(call(world, 'sync_account', { account_id }), 'account.reconnection_required');
    const none = await accountWorld({});
    const refused = call(none.world, 'sync_account', { account_id: none.accountId });
    await expectRefusal(refused, 'resource.not_supported', { platform: 'facebook' });
    const pageless = await accountWorld({ posts, pages: [{ platform_page_id: '11', name: 'One' }] });
    const off = { account_id: pageless.accountId, page_id: '11', is_active: false };
    await call(pageless.world, 'update_account_page', off);
    const sync = call(pageless.world, 'sync_account', { account_id: pageless.accountId });
    await expectRefusal(sync, 'account.no_active_page');
  });
});
