import { describe, expect, it } from 'vitest';
import { jpeg } from '../harness/media-samples.ts';
import { makeWorld, type World } from '../harness/world.ts';

/** Stores a file; its id. */
async function upload(world: World, name: string, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([bytes], { type }), name);
  return (await world.rest('POST /v1/media/upload', form)).body.id;
}

describe('a server that Instagram cannot reach', () => {
  it('names the setting before anything is sent', async () => {
    const world = await makeWorld({ env: { SANDBOX: 'off' } });
    const media_ids = [await upload(world, 'a.jpg', 'image/jpeg', jpeg(1080, 1080))];
    const ask = (more: object) =>
      world.rest('POST /v1/posts/validate', { text: 'Rye', platforms: ['instagram'], ...more });
    expect((await ask({ media_ids })).body).toMatchObject({
      valid: false,
      errors: [
        { platform: 'instagram', field: 'media', message: expect.stringContaining('ROOT_URL, or MEDIA_PUBLIC_URL') },
      ],
    });
    const media = [{ source: 'https://pictures.example.org/a.jpg', source_type: 'url', type: 'image' }];
    expect((await ask({ media })).body).toMatchObject({ valid: true });
  });
});
