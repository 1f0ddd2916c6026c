import { describe, expect, test } from 'vitest';
import { call, callMcp, expectRefusal, onFreePlan } from '../../harness/calls/operations.ts';
import { inHours, postOf, withAccount } from '../../harness/worlds/posts.ts';

const it = test.extend('world', () => withAccount());

describe('update_post', () => {
  it('edits, schedules, withdraws and hides', async ({ world }) => {
    const { id: post_id } = await postOf(world, { title: 'Title' });
    const update = async (input: object) => (await call(world, 'update_post', { post_id, ...input })).body;
    expect(await update({ text: 'New', title: null })).toMatchObject({ status: 'draft', text: 'New', title: null });
    const scheduled_at = inHours(world, 1);
    expect(await update({ scheduled_at })).toMatchObject({ status: 'scheduled', scheduled_at });
    expect(await update({ scheduled_at: null })).toMatchObject({ status: 'draft', scheduled_at: null });
    expect(await update({ hidden: true })).toMatchObject({ hidden: true });
    expect(await update({ targets: [] })).toMatchObject({ targets: [] });
  });

  it('refuses posts that are out, unknown ones, and changes that are none', async ({ world }) => {
    const refused = (input: object, code: string, meta: object = {}) =>
      expectRefusal(call(world, 'update_post', { ...input }), code, { ...meta });
    const published = await postOf(world, { publish_now: true });
    const draft = await postOf(world);
    await refused({ post_id: published.id, text: 'x' }, 'post.state_invalid', { status: 'published' });
    await refused({ post_id: 'post_no', text: 'x' }, 'post.not_found');
    await refused({ post_id: draft.id }, 'validation.field_required');
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
    expect(edited).toEqual({ ...before, text: 'New', updated_at: edited.updated_at });
    const cleared = (await update({ clear: ['title', 'first_comment', 'scheduled_at'] })).body;
    const empty = { title: null, first_comment: null, scheduled_at: null, status: 'draft' };
    expect(cleared).toMatchObject({ ...empty, text: 'New', targets: [{ account_id: before.targets[0].account_id }] });
    expect((await update({ clear: ['targets', 'text'], title: 'Only' })).body).toMatchObject({
      targets: [],
      text: null,
    });
  });

  it.for([
    [{ clear: ['title'], title: 'Both' }, 'clear'],
    [{ clear: ['targets'], account_ids: ['acc_any'] }, 'clear'],
    [{ clear: ['media'], media_ids: ['med_any'] }, 'clear'],
    [{ clear: ['hidden'] }, 'clear.0'],
    [{ clear: 'title' }, 'clear'],
  ] as const)('refuses %j', async ([input, field], { world }) => {
    const { id: post_id, updated_at } = await postOf(world, { title: 'Title' });
    await expectRefusal(callMcp(world, 'update_post', { post_id, ...input }), 'validation.field_invalid', {
      field,
    });
    expect((await callMcp(world, 'get_post', { post_id })).body).toMatchObject({ title: 'Title', updated_at });
  });

  it('is no input of REST', async ({ world }) => {
    const { id } = await postOf(world, { title: 'Title' });
    const { body } = await world.rest(`PATCH /v1/posts/${id}`, { text: 'New', clear: ['title'] });
    expect(body).toMatchObject({ text: 'New', title: 'Title' });
  });
});
