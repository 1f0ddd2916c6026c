import { describe, expect, test } from 'vitest';
import {
  call,
  callMcp,
  expectInvalid,
  expectRefusal,
  forAssistants,
  onFreePlan,
} from '../../harness/calls/operations.ts';
import { inHours, postOf, secondAccount, setFault, withAccount } from '../../harness/worlds/post-stage.ts';

const it = test.extend('world', () => withAccount());

describe('update_post', () => {
  it('takes an empty list of targets for none, and hides a draft', async ({ world }) => {
    const { id: post_id } = await postOf(world);
    const { body } = await call(world, 'update_post', { post_id, targets: [], hidden: true });
    expect(body).toMatchObject({ status: 'draft', targets: [], hidden: true });
  });

  it('refuses posts that are out, unknown ones, and changes that are none', async ({ world }) => {
    const refused = (input: object, code: string, meta: object = {}) =>
      expectRefusal(call(world, 'update_post', { ...input }), code, { ...meta });
    const published = await postOf(world, { publish_now: true });
    const draft = await postOf(world);
    await refused({ post_id: published.id, text: 'x' }, 'post.state_invalid', { status: 'published' });
    await refused({ post_id: 'post_no', text: 'x' }, 'post.not_found');
    await refused({ post_id: draft.id }, 'validation.field_required');
    await refused({ post_id: 'post_no' }, 'validation.field_required');
    await refused({ post_id: draft.id, scheduled_at: inHours(world, -1) }, 'validation.field_invalid');
    await refused({ post_id: draft.id, account_ids: ['acc_no'] }, 'account.not_found');
    await refused({ post_id: draft.id, media_ids: ['med_no'] }, 'media.not_found');
    await onFreePlan(world);
    for (let n = 0; n < 9; n += 1) await postOf(world, { text: `Post ${n}`, scheduled_at: inHours(world, 1) });
    await refused({ post_id: draft.id, scheduled_at: inHours(world, 1) }, 'validation.post_limit_exhausted');
  });
});

describe('update_post of an assistant', () => {
  it('clears what is named, and leaves alone what is null', async ({ world }) => {
    const before = await postOf(world, { title: 'Title', first_comment: 'First', scheduled_at: inHours(world, 1) });
    const update = (input: object) => world.mcp('update_post', { post_id: before.id, ...input });
    const nulls = { title: null, first_comment: null, media: null, targets: null, scheduled_at: null, clear: null };
    const edited = (await update({ text: 'New', ...nulls })).body;
    const { title, first_comment, scheduled_at, targets } = forAssistants('update_post', before);
    expect(edited).toMatchObject({ text: 'New', title, first_comment, scheduled_at, targets });
    const cleared = (await update({ clear: ['title', 'first_comment', 'scheduled_at'] })).body;
    for (const name of ['title', 'first_comment', 'scheduled_at']) expect(cleared).not.toHaveProperty(name);
    const { account_id } = before.targets[0];
    expect(cleared).toMatchObject({ status: 'draft', text: 'New', targets: [{ account_id }] });
    const only = (await update({ clear: ['targets', 'text'], title: 'Only' })).body;
    expect([only.targets, 'text' in only]).toEqual([[], false]);
  });

  it.for([
    [{ clear: ['title'], title: 'Both' }, 'clear'],
    [{ clear: ['targets'], account_ids: ['acc_any'] }, 'clear'],
    [{ clear: ['media'], media_ids: ['med_any'] }, 'clear'],
    [{ clear: ['hidden'] }, 'clear.0'],
    [{ clear: { title: true } }, 'clear'],
  ] as const)('refuses %j', async ([input, field], { world }) => {
    const { id: post_id, updated_at } = await postOf(world, { title: 'Title' });
    await expectInvalid(callMcp(world, 'update_post', { post_id, ...input }), field);
    expect((await callMcp(world, 'get_post', { post_id })).body).toMatchObject({ title: 'Title', updated_at });
  });

  it('is no input of REST', async ({ world }) => {
    const { id } = await postOf(world, { title: 'Title' });
    const { body } = await world.rest(`PATCH /v1/posts/${id}`, { text: 'New', clear: ['title'] });
    expect(body).toMatchObject({ text: 'New', title: 'Title' });
  });
});

describe('publish_post', () => {
  it('refuses posts that are out, unknown ones, and those without targets or words', async ({ world }) => {
    const refused = (post_id: string, code: string, meta: object = {}) =>
      expectRefusal(call(world, 'publish_post', { post_id }), code, { ...meta });
    const { id } = await postOf(world, { publish_now: true });
    await refused(id, 'post.state_invalid', { status: 'published' });
    await refused('post_no', 'post.not_found');
    await refused((await postOf(world, { account_ids: [] })).id, 'validation.field_required', { field: 'targets' });
    await refused((await postOf(world, { text: '' })).id, 'validation.field_required', { field: 'text' });
  });

  it('refuses accounts that are gone or dead, and posts beyond the plan', async ({ world }) => {
    const [one, two] = [await postOf(world), await postOf(world)];
    const publish = (post_id: string) => call(world, 'publish_post', { post_id });
    setFault(world, 'revoked');
    const failed = await publish(one.id);
    expect([failed.code, failed.body.status]).toEqual(['post.publish_failed', 'failed']);
    await expectRefusal(publish(two.id), 'account.reconnection_required');
    await world.rest(`DELETE /v1/accounts/${world.account.id}`);
    await expectRefusal(publish(two.id), 'account.not_found');
    await onFreePlan(world);
    const again = await world.connect(0, world.brandId);
    for (let n = 0; n < 9; n += 1)
      await postOf(world, { text: `Post ${n}`, account_ids: [again.id], scheduled_at: inHours(world, 1) });
    const draft = await postOf(world, { account_ids: [again.id] });
    await expectRefusal(publish(draft.id), 'validation.post_limit_exhausted');
  });
});

describe('retry_post', () => {
  it('refuses posts of which nothing failed, unknown ones, and retries beyond the plan', async ({ world }) => {
    const refused = (post_id: string, code: string) => expectRefusal(call(world, 'retry_post', { post_id }), code);
    await refused('post_no', 'post.not_found');
    await refused((await postOf(world)).id, 'post.no_retryable_deliveries');
    await refused((await postOf(world, { publish_now: true })).id, 'post.state_invalid');
    setFault(world, 'revoked');
    const failed = await postOf(world, { text: 'Other', publish_now: true });
    await world.connect();
    await onFreePlan(world);
    for (let n = 0; n < 8; n += 1) await postOf(world, { text: `Post ${n}`, scheduled_at: inHours(world, 1) });
    await refused(failed.id, 'validation.post_limit_exhausted');
  });
});

describe('unpublish_post', () => {
  it('takes a post down from some of its targets, and removes it with the last one', async ({ world }) => {
    const second = await secondAccount(world);
    const { id: post_id } = await postOf(world, { account_ids: [world.account.id, second.id], publish_now: true });
    const { body } = await call(world, 'unpublish_post', { post_id, account_id: second.id });
    expect(body).toMatchObject({ success: true, unpublished_count: 1, results: [{ outcome: 'deleted' }] });
    const targets = [{ status: 'published' }, { status: 'unpublished' }];
    expect((await call(world, 'get_post', { post_id })).body).toMatchObject({ status: 'published', targets });
    expect((await call(world, 'unpublish_post', { post_id })).body).toMatchObject({ unpublished_count: 1 });
    await expectRefusal(call(world, 'get_post', { post_id }), 'post.not_found');
  });

  it('refuses what is not published, accounts it does not go to, and dead accounts', async ({ world }) => {
    const refused = (input: object, code: string) => expectRefusal(call(world, 'unpublish_post', { ...input }), code);
    await refused({ post_id: 'post_no' }, 'post.not_found');
    await refused({ post_id: (await postOf(world)).id }, 'post.state_invalid');
    const { id: post_id } = await postOf(world, { publish_now: true });
    await refused({ post_id, account_ids: ['acc_no'] }, 'account.not_found');
    setFault(world, 'revoked');
    await refused({ post_id }, 'platform.bluesky.auth');
    await refused({ post_id }, 'account.reconnection_required');
  });
});

describe('delete_post', () => {
  it('removes the targets of one platform, and the post with its last target', async ({ world }) => {
    const { id: post_id } = await postOf(world);
    const asked = (platform: string) => call(world, 'delete_post', { post_id, platform });
    await expectInvalid(asked('facebook'), 'platform');
    expect((await asked('bluesky')).body).toMatchObject({ deleted: true });
  });

  it('refuses a platform that is being published to', async ({ world }) => {
    const { id: post_id } = await postOf(world);
    const until = world.clock.now() + 90_000;
    await world.product.store.write(async ({ db }) => {
      const own = db.selectFrom('targets').selectAll().where('post_id', '=', post_id);
      const target = await own.executeTakeFirstOrThrow();
      const held = { status: 'publishing', lease_token: 'held', lease_until: until, due_at: until } as const;
      await db.updateTable('posts').set({ status: 'publishing' }).where('id', '=', post_id).execute();
      await db.updateTable('targets').set(held).where('id', '=', target.id).execute();
      const other = { platform: 'facebook', position: 1, status: 'published' } as const;
      await db
        .insertInto('targets')
        .values({ ...target, id: `${target.id}-2`, ...other })
        .execute();
    });
    await expectRefusal(call(world, 'delete_post', { post_id, platform: 'bluesky' }), 'post.state_invalid');
  });
});
