import { describe, expect, test } from 'vitest';
import { png } from '../../harness/media-samples.ts';
import { lost, refusedAs, revoked, silent, throttledFor } from '../../harness/platforms/network.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { expectLacking, letTimePass, makeStage } from '../../harness/worlds/social.ts';

const NAME = 'add_location_media';
const OP = 'places.add_media';
const PHOTO = { type: 'image', source: 'https://bakery.example/oven.jpg' } as const;

const it = test.extend('scene', async () => {
  const stage = await makeStage();
  const { id: account_id } = await stage.connect('google');
  const add = (more: object = {}, options: Parameters<typeof call>[3] = {}) =>
    call(stage.world, NAME, { account_id, media: [PHOTO], ...more }, options);
  return { ...stage, account_id, add };
});

describe(NAME, () => {
  it('adds a photo, and says how the place shows it', async ({ scene }) => {
    const { status, body } = await scene.add({ category: 'INTERIOR', description: 'whole' });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringContaining(OP),
        category: 'INTERIOR',
        description: 'whole',
        created_at: '2026-01-15T08:00:00.000Z',
        width_pixels: 800,
        height_pixels: 600,
        thumbnail_url: `https://photos.example/${body.id}/small`,
        media: { type: 'image', url: `https://photos.example/${body.id}` },
        attribution: {
          profile_name: 'Ada',
          profile_photo_url: '',
          profile_url: 'https://maps.example/ada',
          takedown_url: '',
        },
      },
    ]);
    const [seen] = scene.net.seen;
    expect(seen!.ask).toMatchObject({ media: { ref: PHOTO.source, kind: 'image', source_type: 'url' } });
  });

  it('adds a video, a stored item or an upload to Google, by default among the others', async ({ scene }) => {
    const { world, net, add } = scene;
    const upload = { base64: Buffer.from(png(300, 300)).toString('base64'), filename: 'a.png' };
    const { media_id } = (await call(world, 'upload_media', upload)).body;
    const items = [
      { type: 'video', source: 'https://bakery.example/oven.mp4', source_type: 'url' },
      // What is stored is what it is.
      { type: 'video', source: media_id, source_type: 'media_id' },
      { type: 'image', source: 'media/AbC', source_type: 'platform_attachment_id' },
    ];
    const added = [];
    for (const item of items) added.push((await add({ media: [item] })).body);
    expect(added.map(({ category, media, width_pixels }) => [category, media.type, width_pixels])).toEqual([
      ['ADDITIONAL', 'video', 0],
      ['ADDITIONAL', 'image', 0],
      ['ADDITIONAL', 'image', 0],
    ]);
    expect(net.seen.map(({ ask }) => (ask as { media: object }).media)).toMatchObject([
      { kind: 'video' },
      { kind: 'image', ref: media_id, content_type: 'image/png', width: 300 },
      { kind: 'image', ref: 'media/AbC', source_type: 'platform_attachment_id' },
    ]);
  });

  it.for([
    [{ media: [] }, 'media'],
    [{ media: [PHOTO, PHOTO] }, 'media'],
    [{ media: [{ ...PHOTO, type: 'file' }] }, 'media.0.type'],
    [{ media: [{ ...PHOTO, source: 'ftp://bakery.example' }] }, 'media.0'],
    [{ category: 'ATTIC' }, 'category'],
    [{ description: 'unfit' }, 'description'],
  ] as const)('is refused before anything leaves: %j', async ([more, field], { scene }) => {
    const { status, code, body } = await scene.add(more);
    expect([status, code, body.error.meta.field]).toEqual([400, 'validation.field_invalid', field]);
    expect(scene.net.seen).toEqual([]);
  });

  it('needs an account, a media item that is ready, and a place', async ({ scene }) => {
    const { world, connect, add, account_id } = scene;
    await expectRefusal(add({ account_id: 'acc_none' }), 'account.not_found', { resource: 'account', id: 'acc_none' });
    const { key: stranger } = await world.stranger();
    await expectRefusal(add({}, { key: stranger }), 'account.not_found', { id: account_id });
    const stored = (source: string) => add({ media: [{ type: 'image', source, source_type: 'media_id' }] });
    await expectRefusal(stored('med_none'), 'media.not_found');
    const waiting = await call(world, 'get_media_upload_url', { media_type: 'image/png', filename: 'b.png' });
    await expectRefusal(stored(waiting.body.media_id), 'media.not_ready');
    const { id: twitter } = await connect('twitter');
    await expectLacking(add({ account_id: twitter }), 'places.add_media', 'twitter');
  });

  it('is refused as the platform refuses it', async ({ scene: { net, add } }) => {
    const verdicts = [
      [throttledFor(7), 'platform.google.rate_limit'],
      [refusedAs('permission_denied', 'Not you.'), 'platform.google.permission_denied'],
      [refusedAs('invalid_request', 'Not this.'), 'platform.google.invalid_request'],
    ] as const;
    for (const [verdict, code] of verdicts) {
      net.script('ours', OP, verdict);
      await expectRefusal(add(), code);
    }
    net.script('ours', OP, revoked);
    await expectRefusal(add(), 'platform.google.auth');
    await expectRefusal(add(), 'account.reconnection_required');
    expect(net.seen).toEqual([]);
  });

  it('says how long to wait', async ({ scene: { world, net, account_id } }) => {
    net.script('ours', OP, throttledFor(7));
    const answer = await world.rest(`POST /v1/platforms/google/accounts/${account_id}/media`, { media: [PHOTO] });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '7']);
  });

  it('is looked for when its answer is lost, and added once', async ({ scene: { world, net, add } }) => {
    net.script('ours', OP, lost);
    const { body } = await letTimePass(world, add());
    expect([net.seen.length, body.id]).toEqual([1, net.seen[0]!.id]);
  });

  it('of which nobody knows what became is not sent again at once', async ({ scene: { world, net, add } }) => {
    net.script('ours', OP, silent);
    const first = await letTimePass(world, add());
    const second = await letTimePass(world, add());
    expect([first, second].map(({ status, code }) => [status, code])).toEqual([
      [502, 'platform.google.api_error'],
      [502, 'platform.google.api_error'],
    ]);
    expect(net.callsOf(OP)).toBe(1);
  });
});
