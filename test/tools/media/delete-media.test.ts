import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { uploaded } from './samples.ts';

describe('delete_media', () => {
  it('takes an item away, with the address of its bytes', async ({ world }) => {
    const media_id = await uploaded(world);
    const [{ url }] = (await call(world, 'list_media')).body.data;
    const { status, body } = await call(world, 'delete_media', { media_id });
    expect([status, body]).toEqual([200, { success: true, ok: true, id: media_id }]);
    expect((await fetch(url)).status).toBe(404);
    const meta = { resource: 'media', id: media_id };
    await expectRefusal(call(world, 'delete_media', { media_id }), 'media.not_found', meta);
  });

  it('keeps what a post uses, whatever its state, until the post is gone', async ({ world, account }) => {
    const media_id = await uploaded(world);
    const draft = await world.rest('POST /v1/posts', { text: 'a', media_ids: [media_id], account_ids: [account.id] });
    const post_id = draft.body.id;
    const inUse = () =>
      expectRefusal(call(world, 'delete_media', { media_id }), 'media.in_use', { id: media_id, post_id });
    await inUse();
    expect((await world.rest(`POST /v1/posts/${post_id}/publish`)).body.status).toBe('published');
    await inUse();
    await world.rest(`DELETE /v1/posts/${post_id}`);
    await world.settle();
    expect((await call(world, 'delete_media', { media_id })).ok).toBe(true);
  });
});
