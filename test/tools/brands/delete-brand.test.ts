import { describe, expect } from 'vitest';
import { it, makeWorld, type World } from '../../harness/world.ts';
import {
  call,
  callMcp,
  expectInvalid,
  expectRefusal,
  expectRequired,
  wholeList,
} from '../../harness/calls/operations.ts';
import { whileRevoking, upset, callsOf } from '../../harness/platforms/bluesky-people.ts';

/** What deletes a brand: assistants repeat its name. */
async function removalOf(world: World, brand_id: string) {
  const { data } = (await world.rest('GET /v1/brands')).body;
  return { brand_id, confirm: data.find(({ id }: { id: string }) => id === brand_id).name as string };
}

describe('delete_brand', () => {
  it('takes its accounts along, ending their sessions on the platform, and says what was scheduled', async () => {
    const world = await makeWorld();
    const account = await world.connect();
    const receiver = await world.receive(['account.disconnected']);
    const post = { text: 'later', account_ids: [account.id], scheduled_at: '2026-01-15T10:00:00Z' };
    await world.rest('POST /v1/posts', post);
    await world.rest('POST /v1/posts', { text: 'draft', account_ids: [account.id] });
    const { brand_id } = account;
    const { status, body } = await call(world, 'delete_brand', await removalOf(world, brand_id));
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      ok: true,
      id: brand_id,
      brand_id,
      accounts_disconnected: 1,
      scheduled_posts: 1,
    });
    expect((await call(world, 'list_accounts')).body).toEqual(wholeList(0, []));
    expect(callsOf(world, 'com.atproto.server.deleteSession')).toBe(1);
    await world.settle();
    expect(receiver.received).toEqual([]);
  });

  it('lets the last brand go, and a login be connected anew', async ({ world }) => {
    const account = await world.connect(0, world.brandId);
    await call(world, 'delete_brand', await removalOf(world, world.brandId));
    expect((await call(world, 'list_brands')).body).toEqual(wholeList(0, []));
    expect((await world.connect()).id).not.toBe(account.id);
  });

  it('is done before the platform knows of it', async ({ world, account: { brand_id } }) => {
    const removal = await removalOf(world, brand_id);
    const remove = () => call(world, 'delete_brand', removal);
    const { ok } = await whileRevoking(world, remove, async () => {
      expect((await call(world, 'list_brands')).body.count).toBe(1);
    });
    expect(ok).toBe(true);
  });

  it('goes through though the platform does not answer', async ({ world, account }) => {
    upset(world, 'throttled', { times: 9 });
    expect((await call(world, 'delete_brand', await removalOf(world, account.brand_id))).ok).toBe(true);
    expect((await call(world, 'list_accounts')).body.count).toBe(0);
  });

  it('leaves a key that was limited to it with nothing, never with all', async ({ world, account }) => {
    const key = await world.newKey({ brand_ids: [account.brand_id] });
    await world.connect(1);
    const input = { text: 'Left behind', account_ids: [account.id], publish_now: true };
    const { id: post_id } = (await call(world, 'create_post', input, { key })).body;
    await call(world, 'delete_brand', await removalOf(world, account.brand_id));
    expect((await call(world, 'list_brands', {}, { key })).body.count).toBe(0);
    expect((await call(world, 'list_accounts', {}, { key })).body.count).toBe(0);
    for (const name of ['list_posts', 'list_post_logs']) {
      expect([name, (await call(world, name, {}, { key })).body.data]).toEqual([name, []]);
      expect((await call(world, name)).body.data).toHaveLength(1);
    }
    for (const name of ['get_post', 'delete_post'])
      await expectRefusal(call(world, name, { post_id }, { key }), 'post.not_found');
    await expectRefusal(call(world, 'create_brand', { name: 'x' }, { key }), 'auth.insufficient_scope');
  });

  it('is gone the second time', async ({ world }) => {
    const removal = await removalOf(world, world.brandId);
    await call(world, 'delete_brand', removal);
    const meta = { resource: 'brand', id: world.brandId };
    await expectRefusal(call(world, 'delete_brand', removal), 'brand.not_found', meta);
  });
});

describe('delete_brand of an assistant', () => {
  it('is refused without the name of the brand, and with another', async ({ world, account }) => {
    const { brand_id, confirm } = await removalOf(world, account.brand_id);
    const ask = (input: object) => callMcp(world, 'delete_brand', { brand_id, ...input });
    for (const input of [{}, { confirm: null }, { confirm: ' ' }]) await expectRequired(ask(input), 'confirm');
    expect((await ask({})).body.error.message).toContain(
      'confirm is required: Name of the brand, repeated to confirm.',
    );
    for (const wrong of ['yes', brand_id, confirm.toUpperCase(), `${confirm}.`]) {
      const refused = ask({ confirm: wrong });
      await expectInvalid(refused, 'confirm');
      expect((await refused).body.error.message).not.toContain(confirm);
    }
    expect((await callMcp(world, 'list_accounts')).body.count).toBe(1);
    expect((await ask({ confirm: ` ${confirm} ` })).ok).toBe(true);
  });

  it('is no input of REST', async ({ world }) => {
    const { status } = await world.rest(`DELETE /v1/brands/${world.brandId}?confirm=wrong`, { confirm: 'wrong' });
    expect(status).toBe(200);
  });
});
