import { HOUR } from '#kernel/clock.ts';
import { describe, expect, it } from 'vitest';
import { makeWorld } from '../../harness/world.ts';
import { call, expectRefusal, expectRequired } from '../../harness/calls/operations.ts';
import { from, make } from '../../harness/worlds/post-stage.ts';

const IDS = (posts: readonly { id: string }[]) => posts.map(({ id }) => id);

/** A key limited to alice's brand, and posts inside it, outside, and across its border. */
async function makeScene() {
  const world = await makeWorld();
  const [alice, bob] = [await world.connect(0), await world.connect(1)];
  const key = await world.newKey({ brand_ids: [alice.brand_id] });
  const draft = (text: string, ...accounts: readonly { id: string }[]) =>
    make(world, { text, account_ids: accounts.map(({ id }) => id) });
  return {
    world,
    alice,
    bob,
    options: { key },
    mine: await draft('Mine', alice),
    shared: await draft('Shared', alice, bob),
    theirs: await draft('Theirs', bob),
    nobodys: await draft('Nobody’s'),
  };
}

/** Everything that changes or sends a post. */
const MOVES: readonly (readonly [name: string, input: Readonly<Record<string, unknown>>])[] = [
  ['update_post', { text: 'Changed' }],
  ['update_post', { hidden: true }],
  ['publish_post', {}],
  ['retry_post', {}],
  ['unpublish_post', {}],
  ['delete_post', {}],
  ['delete_post', { platform: 'bluesky' }],
];

describe('a key of one brand', () => {
  it('sees posts with a target there, and no others', async () => {
    const { world, options, alice, bob, mine, shared, theirs, nobodys } = await makeScene();
    const list = async (input: object = {}) => (await call(world, 'list_posts', { ...input }, options)).body;
    expect(IDS((await list()).data)).toEqual([mine.id, shared.id]);
    expect(IDS((await list({ brand_id: alice.brand_id })).data)).toEqual([mine.id, shared.id]);
    for (const [filter, code] of [
      [{ account_ids: [alice.id, bob.id] }, 'account.not_found'],
      [{ account_id: bob.id }, 'account.not_found'],
      [{ brand_id: bob.brand_id }, 'brand.not_found'],
    ] as const)
      await expectRefusal(call(world, 'list_posts', filter, options), code);
    for (const { id: post_id } of [mine, shared])
      expect((await call(world, 'get_post', { post_id }, options)).body.id).toBe(post_id);
    for (const { id } of [theirs, nobodys]) {
      for (const name of ['get_post', 'get_post_metrics'])
        await expectRefusal(call(world, name, { post_id: id }, options), 'post.not_found', { resource: 'post', id });
    }
  });

  it.each(MOVES)('%s %j is for posts that go nowhere else', async (name, input) => {
    const { world, options, mine, shared, theirs, nobodys } = await makeScene();
    const move = (post_id: string) => call(world, name, { post_id, ...input }, options);
    const { status, code, meta } = await move(shared.id);
    expect([status, code, meta]).toEqual([403, 'auth.insufficient_scope', {}]);
    for (const { id } of [theirs, nobodys]) await expectRefusal(move(id), 'post.not_found', { resource: 'post', id });
    for (const { id, text } of [shared, theirs, nobodys]) {
      const { body } = await call(world, 'get_post', { post_id: id });
      expect([body.status, body.text, body.hidden]).toEqual(['draft', text, false]);
    }
    // Whatever the state of its own post allows: it is never a matter of access.
    const { code: own = 'none' } = await move(mine.id);
    expect(own).toMatch(/^(?:none|post\.no_retryable_deliveries|post\.state_invalid)$/);
  });

  it('makes posts only for accounts the key may see, and none without targets', async () => {
    const { world, options, alice, bob, mine } = await makeScene();
    const create = (input: object) => call(world, 'create_post', { text: 'New', ...input }, options);
    await expectRequired(create({}), 'targets');
    const meta = { resource: 'account', id: bob.id };
    await expectRefusal(create({ account_ids: [bob.id] }), 'account.not_found', meta);
    const across = [{ account_id: alice.id }, { account_id: bob.id }];
    await expectRefusal(create({ targets: across, publish_now: true }), 'account.not_found', meta);
    expect((await create({ account_ids: [alice.id], publish_now: true })).body.status).toBe('published');
    const update = (input: object) => call(world, 'update_post', { post_id: mine.id, ...input }, options);
    await expectRefusal(update({ account_ids: [bob.id] }), 'account.not_found', meta);
    await expectRequired(update({ targets: [] }), 'targets');
    await expectRequired(update({ targets: null }), 'targets');
  });

  it('reads the log of its accounts, and checks posts against them', async () => {
    const { world, options, alice, bob, shared } = await makeScene();
    const { status } = await world.rest(`POST /v1/posts/${shared.id}/publish`);
    expect(status).toBe(201);
    const logs = async (input: object) => (await call(world, 'list_post_logs', { ...input }, options)).body.data;
    expect((await logs({})).map(({ account_id }: { account_id: string }) => account_id)).toEqual([alice.id]);
    const foreign = call(world, 'list_post_logs', { account_id: bob.id }, options);
    await expectRefusal(foreign, 'account.not_found', { id: bob.id });
    const check = { text: 'a', account_ids: [alice.id, bob.id], scheduled_at: from(world, HOUR) };
    expect((await call(world, 'validate_post', check, options)).body.errors).toMatchObject([
      { platform: 'unknown', field: 'account_id', target: bob.id },
    ]);
  });
});
