import { MINUTE } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { it, type World } from '../../harness/world.ts';
import { upset } from '../../harness/platforms/bluesky-people.ts';
import { call, expectInvalid, expectRefusal } from '../../harness/calls/operations.ts';
import { disguise, from, make, makePartial, makePublished, publish } from '../../harness/worlds/post-stage.ts';

const NONE_YET = { likes: 0, comments: 0, shares: 0, saves: 0 };

/** Gives two posts the same id on their platforms. */
async function confuse(world: World): Promise<{ id: string; brand: string }> {
  const one = await makePublished(world, 'One');
  const bob = await world.connect(1);
  const two = await publish(world, bob, 'Two');
  const { platform_post_id } = one.targets[0];
  await world.product.store.write(({ db }) =>
    db.updateTable('targets').set({ platform_post_id }).where('post_id', '=', two.id).execute(),
  );
  return { id: platform_post_id, brand: bob.brand_id };
}

describe('a post and its metrics', () => {
  it('get_post shows errors and attempts of each target', async ({ world }) => {
    const post = await makePartial(world);
    const { body } = await call(world, 'get_post', { post_id: post.id });
    expect(body).toEqual(post);
    expect(body.targets).toEqual(body.results);
    expect(body.targets).toMatchObject([
      { attempts: 1, error: null, error_code: null },
      { attempts: 1, error: { code: 'platform.bluesky.auth', message: expect.any(String) } },
    ]);
  });

  it('get_post finds neither what is not there nor what is elsewhere', async ({ world }) => {
    const { id } = await makePublished(world);
    const { key } = await world.stranger();
    await expectRefusal(call(world, 'get_post', { post_id: 'post_no' }), 'post.not_found', { id: 'post_no' });
    await expectRefusal(call(world, 'get_post', { post_id: id }, { key }), 'post.not_found');
  });

  it.for(['get_post', 'get_post_metrics'])(
    '%s takes the id of the platform, unless several posts have it',
    async (name, { world }) => {
      const { id, brand } = await confuse(world);
      const { status, code, meta } = await call(world, name, { post_id: id });
      expect([status, code, meta]).toEqual([409, 'resource.conflict', { resource: 'post', id }]);
      const key = await world.newKey({ brand_ids: [brand] });
      expect((await call(world, name, { post_id: id }, { key })).ok).toBe(true);
      await expectInvalid(call(world, name, { post_id: 'x'.repeat(513) }), 'post_id');
    },
  );

  it('get_post_metrics shows published targets alone', async ({ world }) => {
    const { id: post_id, targets } = await makePartial(world);
    const { status, body } = await call(world, 'get_post_metrics', { post_id });
    const measured = { ...targets[0], metrics: expect.objectContaining(NONE_YET), metrics_synced_at: from(world, 0) };
    expect(measured).toMatchObject({ status: 'published', error: null, page_id: null, published_at: from(world, 0) });
    expect([status, body]).toEqual([200, { data: { post_id, targets: [measured], results: [measured] } }]);
    expect((await call(world, 'get_post', { post_id })).body.targets).toMatchObject([
      { metrics: NONE_YET, metrics_synced_at: from(world, 0) },
      { metrics: null, metrics_synced_at: null },
    ]);
  });

  it('get_post_metrics refuses only when no target can be read', async ({ world, pair: [alice, bob] }) => {
    const { id: post_id } = await make(world, { text: 'a', account_ids: [alice.id, bob.id], publish_now: true });
    const { id: elsewhere } = await publish(world, bob, 'b');
    await disguise(world, bob.id);
    const { ok, body } = await call(world, 'get_post_metrics', { post_id });
    expect(ok).toBe(true);
    expect(body.data.targets).toMatchObject([
      { account_id: alice.id, metrics: NONE_YET, error: null },
      { account_id: bob.id, metrics: null, metrics_synced_at: null, error: { code: 'resource.not_supported' } },
    ]);
    const { status, code, meta } = await call(world, 'get_post_metrics', { post_id: elsewhere });
    const lacking = { resource: 'posts.metrics', platform: 'whatsapp' };
    expect([status, code, meta]).toEqual([501, 'resource.not_supported', lacking]);
  });

  it('get_post_metrics shows what it has when the platform does not answer', async ({ world }) => {
    const { id: post_id } = await makePublished(world);
    const first = (await call(world, 'get_post_metrics', { post_id })).body.data.targets[0];
    world.clock.move(6 * MINUTE);
    upset(world, 'throttled', { times: 9 });
    const { ok, body } = await call(world, 'get_post_metrics', { post_id });
    const code = 'platform.bluesky.rate_limit';
    const said = { platform_status: 429, platform_code: 'RateLimitExceeded', platform_message: expect.any(String) };
    const about = { code, category: 'rate_limit', caused_by: 'platform', status: 429 };
    const error = { ...about, ...said, message: expect.any(String) };
    expect([ok, body.data.targets]).toEqual([true, [{ ...first, error, error_code: code }]]);
    const { id: fresh } = await publish(world, await world.connect(1), 'b');
    upset(world, 'throttled', { times: 9 }, 1);
    const refused = await call(world, 'get_post_metrics', { post_id: fresh });
    expect([refused.status, refused.code]).toEqual([429, 'platform.bluesky.rate_limit']);
  });
});

it('get_post, get_post_metrics and validate_post answer the same through both doors', async ({ world }) => {
  const post = await makePublished(world);
  const ids = [post.id, post.targets[0].platform_post_id];
  for (const post_id of ids) expect((await call(world, 'get_post', { post_id })).body).toEqual(post);
  for (const post_id of ids)
    expect((await call(world, 'get_post_metrics', { post_id })).body.data.post_id).toBe(post.id);
  expect((await call(world, 'validate_post', { text: 'x'.repeat(301) })).body.valid).toBe(false);
});

it('get_constraints answers every client what it looks for', async ({ world }) => {
  const { status, body } = await call(world, 'get_constraints', { platform: 'bluesky' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    data: {
      bluesky: {
        text: { max_length: 300, counting_mode: 'graphemes', max_hashtags: null, max_mentions: null },
        media: {
          max_image_size_bytes: 2_000_000,
          max_video_size_bytes: expect.any(Number),
          max_video_duration_sec: 180,
          min_video_duration_sec: null,
          supported_image_types: expect.arrayContaining(['image/png']),
          supported_video_types: ['video/mp4'],
        },
        carousel: { supported: true, min_items: 2, max_items: 4, allow_video: false, images_only: true },
        scheduling: { supported: true, mode: 'server_side' },
        supports_platform_attachment_id: false,
        supports_mixed_media: false,
      },
    },
  });
});

it('validate_post checks against all platforms when none is named', async ({ world }) => {
  const { data } = (await world.rest('GET /v1/posts/validate')).body;
  const { errors } = (await call(world, 'validate_post', { visibility: 'private' })).body;
  const told = new Set(errors.map(({ platform }: { platform: string }) => platform));
  // A post without media is checked before anybody knows whose account it is for.
  expect(told).toEqual(new Set(Object.keys(data).filter((name) => !name.includes(':'))));
  const media = [{ source: 'https://example.org/fine.jpg', source_type: 'url', type: 'image' }];
  const untitled = await call(world, 'validate_post', { text: 'Fine', media });
  expect(untitled.body.errors).toMatchObject([
    { platform: 'youtube', field: 'media.0' },
    { platform: 'youtube', field: 'title' },
    { platform: 'zalo', field: 'title' },
    { platform: 'pinterest', field: 'board_id' },
  ]);
  const fine = await call(world, 'validate_post', { text: 'Fine', title: 'Fine', media });
  // Boards are those of an account, and some platforms take videos alone.
  expect(fine.body).toMatchObject({
    valid: false,
    errors: [
      { platform: 'youtube', field: 'media.0' },
      { platform: 'pinterest', field: 'board_id' },
    ],
  });
});
