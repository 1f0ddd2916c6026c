import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, callMcp, expectInvalid, expectPages, expectRefusal, wholeList } from '../../harness/calls/operations.ts';
import { personOf, upset } from '../../harness/platforms/bluesky-people.ts';
import { publish } from '../../harness/calls/rest.ts';
import { makeOfflineWorld } from '../../harness/worlds/post-stage.ts';

describe('list_accounts', () => {
  it('lists newest first, all in one page', async ({ world }) => {
    expect((await call(world, 'list_accounts')).body).toEqual(wholeList(0, []));
    const alice = await world.connect(0);
    world.clock.move(1);
    const bob = await world.connect(1);
    const { body } = await call(world, 'list_accounts');
    expect(body).toEqual(wholeList(2, [bob, alice]));
    const person = personOf(world);
    expect(alice).toEqual({
      id: expect.stringMatching(/^acc_/),
      brand_id: expect.stringMatching(/^brd_/),
      platform: 'bluesky',
      name: person.display_name,
      username: person.handle,
      bio: null,
      profile_picture_url: null,
      status: 'active',
      reconnect_reason: null,
      capabilities: expect.arrayContaining(['post text', 'reply to a comment', 'send a message']),
      metadata: expect.objectContaining({ sandbox: true }),
    });
  });

  it('filters by brand and platform', async ({ world, pair: [alice] }) => {
    const listed = async (input: object) => (await call(world, 'list_accounts', { ...input })).body;
    expect(await listed({ brand_id: alice.brand_id })).toEqual(wholeList(1, [alice]));
    expect(await listed({ brand_id: world.brandId })).toEqual(wholeList(0, []));
    expect((await listed({ platform: 'bluesky' })).count).toBe(2);
    expect((await listed({ platform: 'facebook' })).count).toBe(0);
  });

  it('comes page by page where a limit is asked for', async ({ world }) => {
    const accounts = [await world.connect(0), await world.connect(1), await world.connect(2)];
    await expectPages(world, 'list_accounts', accounts.map(({ id }) => id).toReversed());
  });

  it('comes to assistants in pages that fit a model', async () => {
    const { world, connect } = await makeOfflineWorld();
    for (let n = 0; n < 51; n += 1) await connect(`t${n}`);
    const first = (await callMcp(world, 'list_accounts')).body;
    expect([first.count, first.data.length, first.pagination.has_more]).toEqual([51, 50, true]);
    const last = (await callMcp(world, 'list_accounts', { cursor: first.pagination.next_cursor })).body;
    const ids = [...first.data, ...last.data].map(({ id }: { id: string }) => id);
    const { data } = (await call(world, 'list_accounts')).body;
    expect(ids).toEqual(data.map(({ id }: { id: string }) => id));
  });

  it('goes on where it was, though accounts came and went meanwhile', async ({ world, pair: [alice, bob] }) => {
    const { next_cursor: cursor } = (await call(world, 'list_accounts', { limit: 1 })).body;
    await call(world, 'disconnect_account', { account_id: bob.id });
    await world.connect(2);
    const { body } = await call(world, 'list_accounts', { limit: 1, cursor });
    expect([body.data, body.next_cursor]).toEqual([[alice], '']);
  });

  it('keeps its filters from page to page, and takes no others', async ({ world }) => {
    await world.connect(0);
    await world.connect(1);
    const first = (await call(world, 'list_accounts', { platform: 'bluesky', limit: 1 })).body;
    const next = { limit: 1, cursor: first.next_cursor };
    for (const filter of [{}, { platform: 'bluesky' }])
      expect((await call(world, 'list_accounts', { ...next, ...filter })).body.data).toHaveLength(1);
    for (const filter of [{ platform: 'facebook' }, { brand_id: world.brandId }])
      await expectInvalid(call(world, 'list_accounts', { ...next, ...filter }), 'cursor');
  });

  it('holds accounts that must be connected again, saying why', async ({ world, account }) => {
    upset(world, 'revoked');
    await publish(world, account.id, { text: 'a' });
    expect((await call(world, 'list_accounts')).body).toMatchObject({
      count: 1,
      data: [{ id: account.id, status: 'reconnect_required', reconnect_reason: expect.stringMatching(/./) }],
    });
  });

  it('shows a key limited to brands the accounts of those alone', async ({ world, pair: [alice, bob] }) => {
    const key = await world.newKey({ brand_ids: [alice.brand_id] });
    expect((await call(world, 'list_accounts', {}, { key })).body).toEqual(wholeList(1, [alice]));
    const foreign = call(world, 'list_accounts', { brand_id: bob.brand_id }, { key });
    await expectRefusal(foreign, 'brand.not_found', { resource: 'brand', id: bob.brand_id });
  });

  it('refuses a brand and a platform that there are not', async ({ world }) => {
    const meta = { resource: 'brand', id: 'brd_none' };
    await expectRefusal(call(world, 'list_accounts', { brand_id: 'brd_none' }), 'brand.not_found', meta);
    await expectInvalid(call(world, 'list_accounts', { platform: 'myspace' }), 'platform');
  });
});
