import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mp4, pdf, png } from '../../harness/media-samples.ts';
import { openLinkedinWorld, postBody, urn, type LinkedinWorld } from '../../harness/worlds/twins/linkedin.ts';

const PART = 4_194_304;

let world: LinkedinWorld;
let page: string;
let me: string;
let token: string;
beforeAll(async () => {
  world = await openLinkedinWorld();
  page = await world.organization();
  me = await world.person();
});
beforeEach(async () => {
  await world.sandbox.reset();
  token = await world.login();
});
afterAll(() => world.close());

const begin = async (kind: string, more = {}) => {
  const body = { initializeUploadRequest: { owner: page, ...more } };
  return (await world.call('POST', `/rest/${kind}s?action=initializeUpload`, token, body)).json.value;
};
const state = async (kind: string, id: string, as = token) =>
  (await world.call('GET', `/rest/${kind}s/${urn(id)}`, as)).json.status;
const show = async (content: object, author = page) => {
  const reply = await world.call('POST', '/rest/posts', token, postBody(author, '', { content }));
  return reply.headers.get('x-restli-id') ?? reply.json.message;
};

describe('an image', () => {
  it('is uploaded with the token, worked on, and shown', async () => {
    const { uploadUrl, image, uploadUrlExpiresAt } = await begin('image');
    expect(uploadUrlExpiresAt).toBeGreaterThan(world.clock.now());
    expect(await state('image', image)).toBe('WAITING_UPLOAD');
    expect((await world.upload(uploadUrl, png())).status).toBe(401);
    expect((await world.upload(uploadUrl, png(), token)).status).toBe(201);
    expect(await state('image', image)).toBe('PROCESSING');
    expect(await show({ media: { id: image } })).toContain('PROCESSING');
    world.clock.move(2000);
    expect(await state('image', image)).toBe('AVAILABLE');
    const id = await show({ media: { id: image, altText: 'A bag' } });
    const [, src] = /<img src="([^"]+)"/.exec((await world.ask(`${world.at}/www/feed/update/${id}`)).text)!;
    expect((await world.ask(src!)).headers.get('content-type')).toBe('image/png');
    expect(await show({ media: { id: image } }, me)).toContain('not owned');
  });

  it('is not seen by who may only write for a member', async () => {
    token = await world.login(undefined, 'openid w_member_social');
    const { image, uploadUrl } = await begin('image', { owner: me });
    await world.upload(uploadUrl, png(), token);
    expect((await world.call('GET', `/rest/images/${urn(image)}`, token)).status).toBe(403);
    world.clock.move(2000);
    expect(await show({ media: { id: image } }, me)).toMatch(/^urn:li:share:/);
    const { video } = await begin('video', { owner: me, fileSizeBytes: 10 });
    expect(await state('video', video)).toBe('WAITING_UPLOAD');
  });

  it('is one of several, up to twenty', async () => {
    const images: object[] = [];
    for (let n = 0; n < 2; n += 1)
      images.push({ id: await world.file(token, page, 'image', png()), altText: `No ${n}` });
    expect(await show({ multiImage: { images } })).toMatch(/^urn:li:ugcPost:/);
    const many = Array.from({ length: 21 }, () => images[0]);
    expect(await show({ multiImage: { images: many } })).toContain('1 to 20');
  });

  it('may fail, is late after a day, and is what it says it is', async () => {
    const late = await begin('image');
    world.clock.move(86_400_000);
    expect((await world.upload(late.uploadUrl, png(), token)).status).toBe(403);
    const { uploadUrl, image } = await begin('image');
    await world.upload(uploadUrl, pdf, token);
    world.clock.move(2000);
    expect(await state('image', image)).toBe('PROCESSING_FAILED');
    expect(await show({ media: { id: image } })).toContain('PROCESSING_FAILED');
  });
});

it('shows a document with its title', async () => {
  const id = await world.file(token, page, 'document', pdf);
  expect(id).toMatch(/^urn:li:document:/);
  expect(await show({ media: { id } })).toContain('title');
  expect(await show({ media: { id, title: 'Prices' } })).toMatch(/^urn:li:share:/);
});

describe('a video', () => {
  const film = () => {
    const bytes = new Uint8Array(PART + 1000);
    bytes.set(mp4({}));
    return bytes;
  };
  const finish = (video: string, uploadToken: string, uploadedPartIds: readonly string[]) =>
    world.call('POST', '/rest/videos?action=finalizeUpload', token, {
      finalizeUploadRequest: { video, uploadToken, uploadedPartIds },
    });

  it('comes in parts whose tags are named in order', async () => {
    const bytes = film();
    const begun = await begin('video', { fileSizeBytes: bytes.length, uploadCaptions: false, uploadThumbnail: false });
    const { video, uploadToken, uploadInstructions: parts } = begun;
    expect(parts.map(({ firstByte, lastByte }: any) => [firstByte, lastByte])).toEqual([
      [0, PART - 1],
      [PART, PART + 999],
    ]);
    expect((await world.upload(parts[1].uploadUrl, bytes.subarray(0, 10))).status).toBe(400);
    const tags: string[] = [];
    for (const { uploadUrl, firstByte, lastByte } of parts) {
      const reply = await world.upload(uploadUrl, bytes.subarray(firstByte, lastByte + 1));
      tags.push(reply.headers.get('etag')!);
    }
    expect((await finish(video, uploadToken, tags.toReversed())).status).toBe(400);
    expect((await finish(video, uploadToken, tags.slice(1))).status).toBe(400);
    expect((await finish(video, 'other', tags)).status).toBe(400);
    expect((await finish(video, uploadToken, tags)).status).toBe(200);
    expect(await state('video', video)).toBe('PROCESSING');
    world.clock.move(2000);
    expect(await state('video', video)).toBe('AVAILABLE');
    const id = await show({ media: { id: video, title: 'Roasting' } });
    expect(id).toMatch(/^urn:li:ugcPost:/);
    const [, src] = /<video controls src="([^"]+)"/.exec((await world.ask(`${world.at}/www/feed/update/${id}`)).text)!;
    expect((await world.ask(src!)).headers.get('content-length')).toBe(String(bytes.length));
  });

  it('must say its size, and may fail', async () => {
    const begun = await world.call('POST', '/rest/videos?action=initializeUpload', token, {
      initializeUploadRequest: { owner: page },
    });
    expect(begun.status).toBe(422);
    await world.act('settings', { processing_fails: true });
    const bytes = mp4({});
    const { video, uploadToken, uploadInstructions } = await begin('video', { fileSizeBytes: bytes.length });
    const { headers } = await world.upload(uploadInstructions[0].uploadUrl, bytes);
    await finish(video, uploadToken, [headers.get('etag')!]);
    world.clock.move(2000);
    expect(await state('video', video)).toBe('PROCESSING_FAILED');
  });
});
