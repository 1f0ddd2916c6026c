import { describe, expect } from 'vitest';
import { it, makeWorld } from '../../harness/world.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { callsOf, upset, whileRevoking } from '../../harness/platforms/bluesky-people.ts';

describe('disconnect_account', () => {
  it('forgets the account, ends its session, and says what was scheduled', async ({ world }) => {
    const receiver = await world.receive(['account.disconnected', 'post.failed']);
    const account = await world.connect();
    const post = { text: 'later', account_ids: [account.id], scheduled_at: '2026-01-15T10:00:00Z' };
    const { body: scheduled } = await world.rest('POST /v1/posts', post);
    const { status, body } = await call(world, 'disconnect_account', { account_id: account.id });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      ok: true,
      id: account.id,
      account_id: account.id,
      revoked: true,
      scheduled_posts: 1,
    });
    expect(callsOf(world, 'com.atproto.server.deleteSession')).toBe(1);
    expect(await world.product.store.db.selectFrom('accounts').selectAll().execute()).toEqual([]);
    expect((await call(world, 'list_brands')).body.data).toContainEqual(
      expect.objectContaining({ id: account.brand_id, accounts_count: 0 }),
    );
    await world.settle();
    expect(receiver.received).toEqual([]);

    await world.pass(3_600_000);
    expect(receiver.events()).toEqual(['post.failed']);
    const { results } = (await world.rest(`GET /v1/posts/${scheduled.id}`)).body;
    expect(results[0]).toMatchObject({ status: 'failed', error_code: 'publishing.delivery.account_load_failed' });
    expect(callsOf(world, 'com.atproto.repo.putRecord')).toBe(0);
  });

  it.each(['throttled', 'error_after'] as const)('goes through though the platform is %s', async (kind) => {
    const world = await makeWorld();
    const { id: account_id } = await world.connect();
    upset(world, kind, { times: 9 });
    const { body } = await call(world, 'disconnect_account', { account_id });
    expect(body).toMatchObject({ success: true, revoked: false });
    expect((await call(world, 'list_accounts')).body.count).toBe(0);
  });

  it('is done before the platform knows of it', async ({ world, account: { id: account_id } }) => {
    const disconnect = () => call(world, 'disconnect_account', { account_id });
    const { body } = await whileRevoking(world, disconnect, async () => {
      expect((await call(world, 'list_accounts')).body.count).toBe(0);
    });
    expect(body).toMatchObject({ success: true, revoked: true });
  });

  it('counts a grant that is over as revoked', async ({ world, account: { id: account_id } }) => {
    upset(world, 'revoked');
    const { body } = await call(world, 'disconnect_account', { account_id });
    expect(body).toMatchObject({ success: true, revoked: true });
  });

  it('makes a new account of a login that comes back', async ({ world, account }) => {
    await call(world, 'disconnect_account', { account_id: account.id });
    expect((await world.connect(0, account.brand_id)).id).not.toBe(account.id);
  });

  it('is gone the second time, also when two disconnect at once', async ({ world, account: { id: account_id } }) => {
    const replies = await Promise.all([1, 2].map(() => call(world, 'disconnect_account', { account_id })));
    expect(replies.map(({ code = 'none' }) => code).toSorted()).toEqual(['account.not_found', 'none']);
    const meta = { resource: 'account', id: account_id };
    await expectRefusal(call(world, 'disconnect_account', { account_id }), 'account.not_found', meta);
  });
});
