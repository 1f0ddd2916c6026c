import { createServer } from 'node:http';
import sharp from 'sharp';
import { describe, expect } from 'vitest';
import { it, type World } from '../../harness/world.ts';
import { publish, store } from '../../harness/calls/rest.ts';
import { animation, bytesOf, phonePhoto, scene } from '../../harness/pictures/samples.ts';
import { serveTest } from '../../harness/sockets.ts';

async function read(address: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(address)).arrayBuffer());
}

/** The files of a Bluesky post, as everybody gets them. */
async function filesOf(world: World, uri: string): Promise<readonly Buffer[]> {
  const [repo, collection, rkey] = uri.slice('at://'.length).split('/');
  const ask = (method: string, query: Record<string, string>) =>
    read(`${world.root}/sandbox/bluesky/xrpc/${method}?${String(new URLSearchParams(query))}`);
  const record = (
    await ask('com.atproto.repo.getRecord', { repo: repo!, collection: collection!, rkey: rkey! })
  ).toString();
  const cids = [...record.matchAll(/"\$link":"(\w+)"/g)].map(([, cid]) => cid!);
  return Promise.all(cids.map((cid) => ask('com.atproto.sync.getBlob', { did: repo!, cid })));
}

describe('a picture that a platform does not take as it is', () => {
  it('is published as one that it takes, upright and without its place', async ({ world }) => {
    const { id: account } = await world.connect();
    const photo = await phonePhoto(1800, 2400, 6, 100);
    expect(photo.length).toBeGreaterThan(2_000_000);
    const { id } = await store(world, 'photo.jpg', 'image/jpeg', photo);
    const content = { text: 'Look', media_ids: [id], account_ids: [account] };
    const { body: checked } = await world.rest('POST /v1/posts/validate', content);
    expect(checked).toMatchObject({ valid: true, errors: [] });
    const { body } = await publish(world, account, { text: 'Look', media_ids: [id] });
    expect(body.status).toBe('published');
    const [target] = body.targets;
    const [made] = target.converted_media;
    expect(made).toMatchObject({ source: id, content_type: 'image/jpeg' });
    // It was said before.
    const size = `${(made.size_bytes / 1_000_000).toFixed(1)} MB, ${made.width} × ${made.height}`;
    expect(checked.warnings).toEqual([
      { platform: 'bluesky', target: account, field: 'media.0', message: `will be converted to JPEG, ${size}` },
    ]);
    const [file] = await filesOf(world, target.platform_post_id);
    const seen = await sharp(file).metadata();
    expect(file!.length).toBe(made.size_bytes);
    expect(file!.length).toBeLessThanOrEqual(2_000_000);
    expect([seen.format, seen.width, seen.height, seen.orientation, seen.exif]).toEqual([
      'jpeg',
      made.width,
      made.height,
      undefined,
      undefined,
    ]);
    expect(made.width / made.height).toBeCloseTo(0.75, 2);
    // The original stays as it was.
    const { body: list } = await world.rest('GET /v1/media');
    expect((await read(list.data[0].url)).equals(photo)).toBe(true);
  });

  it('is named where the post has several', async ({ world }) => {
    const { id: account } = await world.connect();
    const plain = await store(world, 'plain.png', 'image/png', await bytesOf(scene(120, 90).png()));
    const turned = await store(world, 'turned.jpg', 'image/jpeg', await phonePhoto(300, 200, 8));
    const media_ids = [plain.id, turned.id];
    const segments = [{ text: 'And', media: media_ids.map((source) => ({ source, source_type: 'media_id' })) }];
    const content = { text: 'Look', media_ids, segments, account_ids: [account] };
    const { warnings } = (await world.rest('POST /v1/posts/validate', content)).body;
    const message = expect.stringMatching(/^Picture 2: will be converted to JPEG, .*300 × 200$/);
    expect(warnings).toEqual([
      { platform: 'bluesky', target: account, field: 'media.1', message },
      { platform: 'bluesky', target: account, field: 'media.1', message, segment_index: 0 },
    ]);
  });

  it('by its address as well', async ({ world }) => {
    const { id: account } = await world.connect();
    const photo = await phonePhoto(300, 200, 8);
    const host = await serveTest(createServer((_, response) => response.end(photo)));
    const media = [{ source: `${host}/a.jpg`, source_type: 'url' }];
    const { body } = await publish(world, account, { text: 'Look', media });
    expect(body.targets[0].converted_media).toMatchObject([{ source: `${host}/a.jpg`, width: 300, height: 200 }]);
    const [file] = await filesOf(world, body.targets[0].platform_post_id);
    const seen = await sharp(file).metadata();
    expect([seen.width, seen.height, seen.orientation, seen.exif]).toEqual([300, 200, undefined, undefined]);
  });

  it('stays byte for byte as it is where nothing is wrong with it', async ({ world }) => {
    const { id: account } = await world.connect();
    const plain = await bytesOf(scene(120, 90).png());
    const { id } = await store(world, 'plain.png', 'image/png', plain);
    const { body } = await publish(world, account, { text: 'Look', media_ids: [id] });
    expect(body.targets[0].converted_media).toBeUndefined();
    const [file] = await filesOf(world, body.targets[0].platform_post_id);
    expect(file!.equals(plain)).toBe(true);
  });

  it.for(['gif', 'webp'] as const)('is refused if it moves and would stand still: %s', async (type, { world }) => {
    const { id: account } = await world.connect();
    const { id } = await store(world, `a.${type}`, `image/${type}`, await animation(type));
    const { body } = await publish(world, account, { text: 'Look', media_ids: [id] });
    expect(body.error).toMatchObject({ code: 'validation.field_invalid' });
    expect(JSON.stringify(body)).toContain('is an animated picture, and Bluesky accepts still ones only');
  });

  it('is refused in a sentence if it is damaged', async ({ world }) => {
    const { id: account } = await world.connect();
    const whole = await phonePhoto(1200, 900);
    const { id } = await store(world, 'half.jpg', 'image/jpeg', whole.subarray(0, whole.length / 2));
    const content = { text: 'Look', media_ids: [id] };
    const { body: checked } = await world.rest('POST /v1/posts/validate', { ...content, account_ids: [account] });
    const message = 'half.jpg cannot be read: it is damaged or incomplete';
    expect(checked).toMatchObject({ valid: false, errors: [{ field: 'media.0', message }] });
    const { body } = await publish(world, account, content);
    expect(body.targets[0]).toMatchObject({ status: 'failed', error: { code: 'validation.field_invalid' } });
    expect(body.targets[0].error.message).toContain(message);
  });

  it('is refused in a sentence if it is cut off, though its size and type are right', async ({ world }) => {
    const { id: account } = await world.connect();
    const whole = { 'image/jpeg': scene(400, 300).jpeg(), 'image/png': scene(400, 300).png() };
    for (const [type, image] of Object.entries(whole)) {
      const bytes = await bytesOf(image);
      const { id } = await store(world, 'cut', type, bytes.subarray(0, bytes.length / 2));
      const content = { text: `Look at ${type}`, media_ids: [id], account_ids: [account] };
      const message = expect.stringContaining('cannot be read: it is damaged or incomplete');
      const { body: checked } = await world.rest('POST /v1/posts/validate', content);
      expect(checked.errors).toMatchObject([{ platform: 'bluesky', message }]);
      const { body } = await world.rest('POST /v1/posts', { ...content, publish_now: true });
      expect(body.targets).toMatchObject([{ status: 'failed', error: { message } }]);
    }
  });
});
