import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { PlaceMedia } from '#platforms/business.ts';
import { google } from '#platforms/google/index.ts';
import { opened } from '../../harness/opened.ts';
import { AT, failure, googleOf, iso } from '../../harness/platforms/google/samples.ts';
import { lost, NOW, ok, type Script } from '../../harness/platforms/script.ts';

const { addMedia, check } = google.places!;
const ADD = `POST my${AT}/media`;
const LIST = `GET my${AT}/media`;
const BYTES = new Uint8Array(20_000).fill(7);

const photo = (more: Partial<PlaceMedia['media']> = {}): PlaceMedia => ({
  category: 'INTERIOR',
  description: 'The oven.',
  media: { ref: 'https://bakery.example/oven.jpg', kind: 'image', source_type: 'url', ...more },
});
const item = (more: object = {}) => ({
  name: 'accounts/1/locations/2/media/k1',
  mediaFormat: 'PHOTO',
  locationAssociation: { category: 'INTERIOR' },
  googleUrl: 'https://lh3.example/k1',
  thumbnailUrl: 'https://lh3.example/k1=s100',
  description: 'The oven.',
  createTime: iso(NOW + 1000),
  dimensions: { widthPixels: 800, heightPixels: 600 },
  attribution: { profileName: 'Ada', profilePhotoUrl: 'p', takedownUrl: 't', profileUrl: 'u' },
  ...more,
});
const ADDED = {
  id: 'accounts/1/locations/2/media/k1',
  category: 'INTERIOR',
  description: 'The oven.',
  created_at: NOW + 1000,
  width_pixels: 800,
  height_pixels: 600,
  thumbnail_url: 'https://lh3.example/k1=s100',
  media: { type: 'image', url: 'https://lh3.example/k1' },
  attribution: { profile_name: 'Ada', profile_photo_url: 'p', takedown_url: 't', profile_url: 'u' },
};

function adding(script: Script, media: PlaceMedia = photo(), file = opened(BYTES, 'image/jpeg')) {
  const { acting, asked } = googleOf(script);
  const call = { ...acting, open: async () => file };
  const prepare = () => addMedia.prepare!(call, media);
  const send = async (prepared: unknown) => addMedia.send(call, media, { prepared, correlationId: '', sentAt: NOW });
  const settle = (taken: readonly string[] = []) =>
    addMedia.settle!(call, media, { prepared: null, correlationId: '', sentAt: NOW, taken: new Set(taken) });
  return { asked, prepare, send, settle };
}

describe('a photo of a location', () => {
  it('is fetched by Google from an address', async () => {
    const { asked, prepare, send } = adding({ [ADD]: ok(item()) });
    expect(await send(await prepare())).toEqual(ADDED);
    expect(asked.map(({ body, request }) => [body, request.cost])).toEqual([
      [
        {
          mediaFormat: 'PHOTO',
          locationAssociation: { category: 'INTERIOR' },
          description: 'The oven.',
          sourceUrl: 'https://bakery.example/oven.jpg',
        },
        [
          { bucket: 'edits', units: 1 },
          { bucket: 'requests', units: 1 },
        ],
      ],
    ]);
  });

  it('is handed over where it is stored here, and named by what that answers', async () => {
    const name = 'accounts/1/media/AbC-1_~';
    const { asked, prepare, send } = adding(
      {
        [`POST my${AT}/media:startUpload`]: ok({ resourceName: name }),
        [`POST my/upload/v1/media/${name}`]: ok({}),
        [ADD]: ok(item()),
      },
      photo({ ref: 'med_1', source_type: 'media_id' }),
    );
    expect(await send(await prepare())).toEqual(ADDED);
    const [, bytes, add] = asked;
    expect(bytes!.query).toEqual({ upload_type: 'media' });
    expect(bytes!.request.headers).toMatchObject({ 'content-type': 'image/jpeg' });
    expect(await buffer((bytes!.request.body as { open(): NodeJS.ReadableStream }).open())).toEqual(Buffer.from(BYTES));
    expect(add!.body.dataRef).toEqual({ resourceName: name });
  });

  it('may be one that Google was handed before', async () => {
    const { asked, prepare, send } = adding(
      { [ADD]: ok(item()) },
      photo({ ref: 'media/r9', source_type: 'platform_attachment_id' }),
    );
    await send(await prepare());
    expect(asked[0]!.body).toMatchObject({ dataRef: { resourceName: 'media/r9' } });
  });

  it.each(['', '../x', 'a b', 'x?y=1'])('is not handed over under the name %j', async (resourceName) => {
    const { prepare } = adding(
      { [`POST my${AT}/media:startUpload`]: ok({ resourceName }) },
      photo({ ref: 'med_1', source_type: 'media_id' }),
    );
    await expect(prepare()).rejects.toThrow();
  });

  it('is refused before it leaves if its bytes are something else', async () => {
    const stored = photo({ ref: 'med_1', source_type: 'media_id' });
    await expect(adding({}, stored, opened(BYTES, 'image/gif')).prepare()).rejects.toMatchObject({ kind: 'refused' });
    await expect(adding({}, stored, opened(new Uint8Array(9), 'image/png')).prepare()).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('10 KB'),
    });
  });

  it('shows what it can where Google says little', async () => {
    const bare = { name: 'k1' };
    const video: PlaceMedia = {
      category: 'MENU',
      media: { ref: 'https://x.example/v.mp4', kind: 'video', source_type: 'url' },
    };
    const { asked, prepare, send } = adding({ [ADD]: ok(bare) }, video);
    expect(await send(await prepare())).toEqual({
      id: 'k1',
      category: 'MENU',
      description: '',
      created_at: NOW,
      width_pixels: undefined,
      height_pixels: undefined,
      thumbnail_url: '',
      media: { type: 'video', url: '' },
      attribution: undefined,
    });
    expect(asked[0]!.body).toEqual({
      mediaFormat: 'VIDEO',
      locationAssociation: { category: 'MENU' },
      sourceUrl: 'https://x.example/v.mp4',
    });
  });

  it.each([
    ['it is the only one', [item()], ADDED],
    ['it was there before', [item({ createTime: iso(NOW - 5000) })], 'unknown'],
    ['another was sent too', [item(), item({ name: 'k2' })], 'unknown'],
    ['it is another kind', [item({ mediaFormat: 'VIDEO' })], 'unknown'],
    ['it is elsewhere', [item({ locationAssociation: { category: 'MENU' } })], 'unknown'],
    ['it says something else', [item({ description: 'The door.' })], 'unknown'],
    ['there is none', [], 'unknown'],
  ])('whose answer is lost is looked for: %s', async (_what, mediaItems, expected) => {
    expect(await adding({ [LIST]: ok({ mediaItems }) }).settle()).toEqual(expected);
  });

  it('that another send has made is not taken for it', async () => {
    expect(await adding({ [LIST]: ok({ mediaItems: [item()] }) }).settle([ADDED.id])).toBe('unknown');
  });

  it.each([
    [lost(), 'unknown', 'api_error'],
    [failure(429, 'RESOURCE_EXHAUSTED', 'RATE_LIMIT_EXCEEDED'), 'throttled', 'rate_limit'],
    [failure(400, 'INVALID_ARGUMENT'), 'refused', 'invalid_request'],
  ] as const)('fails as Google says', async (reply, kind, reason) => {
    await expect(adding({ [ADD]: reply }).send({ sourceUrl: 'x' })).rejects.toMatchObject({ kind, reason });
  });

  it.each([
    [{ content_type: 'image/webp' }, 'JPEG or PNG'],
    [{ size_bytes: 6_000_000 }, '5 MB'],
    [{ size_bytes: 9000 }, '10 KB'],
    [{ width: 900, height: 200 }, '250 pixels'],
    [{ kind: 'video', content_type: 'image/png' }, 'not a video'],
    [{ kind: 'video', size_bytes: 80_000_000 }, '75 MB'],
    [{ kind: 'video', duration_ms: 31_000 }, '30 seconds'],
  ] as const)('is checked first: %j', (more, word) => {
    expect(
      check(photo(more as Partial<PlaceMedia['media']>)).map(({ field, message }) => [field, message.includes(word)]),
    ).toEqual([['media.0', true]]);
  });

  it('is as Google accepts it', () => {
    expect(check(photo({ content_type: 'image/png', size_bytes: 20_000, width: 800, height: 600 }))).toEqual([]);
    expect(check({ ...photo(), description: 'x'.repeat(1001) })).toMatchObject([{ field: 'description' }]);
  });
});
