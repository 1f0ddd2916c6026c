import { describe, expect, it } from 'vitest';
import { makeWorld } from '../../harness/world.ts';
import { call, describeCallers, DOORS, expectRefusal, wholeList } from '../front-door.ts';
import { whileRevoking } from '../accounts/people.ts';

describeCallers('delete_brand', { to: 'admin', input: { brand_id: 'brd_none' } });

describe.each(DOORS)('delete_brand through %s', (via) => {
  it('takes its accounts along, ending their sessions on the platform, and says what was scheduled', async () => {
    const world = await makeWorld();
    const account = await world.connect();
    const receiver = await world.receive(['account.disconnected']);
    const post = { text: 'later', account_ids: [account.id], scheduled_at: '2026-01-15T10:00:00Z' };
    await world.rest('POST /v1/posts', post);
    await world.rest('POST /v1/posts', { text: 'draft', account_ids: [account.id] });
    const { brand_id } = account;
    const { status, body } = await call(world, via, 'delete_brand', { brand_id });
    expect([status ?? 200, body]).toEqual([
      200,
      { success: true, ok: true, id: brand_id, brand_id, accounts_disconnected: 1, scheduled_posts: 1 },
    ]);
    expect((await call(world, via, 'list_accounts')).body).toEqual(wholeList(0, []));
    expect(world.product.sandbox!.requests().map(({ method }) => method)).toContain('com.atproto.server.deleteSession');
    await world.settle();
    expect(receiver.received).toEqual([]);
  });

  it('lets the last brand go, and a login be connected anew', async () => {
    const world = await makeWorld();
    const account = await world.connect(0, world.brandId);
    await call(world, via, 'delete_brand', { brand_id: world.brandId });
    expect((await call(world, via, 'list_brands')).body).toEqual(wholeList(0, []));
    expect((await world.connect()).id).not.toBe(account.id);
  });

  it('is done before the platform knows of it', async () => {
    const world = await makeWorld();
    const { brand_id } = await world.connect();
    const remove = () => call(world, via, 'delete_brand', { brand_id });
    const { ok } = await whileRevoking(world, remove, async () => {
      expect((await call(world, via, 'list_brands')).body.count).toBe(1);
    });
    expect(ok).toBe(true);
  });

  it('goes through though the platform does not answer', async () => {
    const world = await makeWorld();
    const account = await world.connect();
    const { handle, network } = world.product.sandbox!.people()[0]!;
    world.product.sandbox!.setFault({ network, person: handle, kind: 'throttled', times: 9 });
    expect((await call(world, via, 'delete_brand', { brand_id: account.brand_id })).ok).toBe(true);
    expect((await call(world, via, 'list_accounts')).body.count).toBe(0);
  });

  it('leaves a key that was limited to it with nothing, never with all', async () => {
    const world = await makeWorld();
    const account = await world.connect();
    const key = await world.newKey({ brand_ids: [account.brand_id] });
    await world.connect(1);
    const input = { text: 'Left behind', account_ids: [account.id], publish_now: true };
    const { id: post_id } = (await call(world, via, 'create_post', input, { key })).body;
    await call(world, via, 'delete_brand', { brand_id: account.brand_id });
    expect((await call(world, via, 'list_brands', {}, { key })).body.count).toBe(0);
    expect((await call(world, via, 'list_accounts', {}, { key })).body.count).toBe(0);
    for (const name of ['list_posts', 'list_post_logs']) {
      expect([name, (await call(world, via, name, {}, { key })).body.data]).toEqual([name, []]);
      expect((await call(world, via, name)).body.data).toHaveLength(1);
    }
    for (const name of ['get_post', 'delete_post']) {
      await expectRefusal(call(world, via, name, { post_id }, { key }), 'post.not_found');
    }
    await expectRefusal(call(world, via, 'create_brand', { name: 'x' }, { key }), 'auth.insufficient_scope');
  });

  it('is gone the second time', async () => {
    const world = await makeWorld();
    await call(world, via, 'delete_brand', { brand_id: world.brandId });
    const meta = { resource: 'brand', id: world.brandId };
    await expectRefusal(call(world, via, 'delete_brand', { brand_id: world.brandId }), 'brand.not_found', meta);
  });
});
