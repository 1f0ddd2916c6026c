import { MINUTE } from '#kernel/clock.ts';
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import type { Platform } from '#platforms/platform.ts';
import type { LinkRequest, MediaRef } from '#platforms/media.ts';
import type { PublishCall } from '#platforms/posts.ts';
import { cameraPng, pngOf } from '../../harness/camera-samples.ts';
import { mp4, png } from '../../harness/media-samples.ts';
import { animation } from '../../harness/pictures/samples.ts';
import { byToken, fakePlatform } from '../../harness/platforms/fake.ts';
import { makePostNetwork, publishingPlatform } from '../../harness/platforms/publishing.ts';
import { makeWorld, type World } from '../../harness/world.ts';
import { publish, store } from '../../harness/calls/rest.ts';
import { serveTest } from '../../harness/sockets.ts';

/** A platform that fetches the media of a post and its cover from their addresses, which it notes. */
function pullingPlatform(pulls: 'any_address' | 'our_address') {
  const given: string[] = [];
  const fetched: Buffer[] = [];
  const ask: LinkRequest = { minutes: 5, ...(pulls === 'our_address' && { rehost: true }) };
  let meanwhile = async (): Promise<unknown> => undefined;
  const { rules } = publishingPlatform(makePostNetwork(), 'instagram', {}).posts!;

  async function write(call: PublishCall) {
    const cover = (call.post.options['cover'] as MediaRef | undefined)?.source;
    const refs = [...call.post.media.map(({ ref }) => ref), ...(cover === undefined ? [] : [cover])];
    for (const ref of refs) {
      const address = await call.link(ref, ask);
      given.push(address);
      await meanwhile();
      if (address.startsWith('http://127.0.0.1:'))
        fetched.push(Buffer.from(await (await fetch(address)).arrayBuffer()));
    }
    return { id: `made-${given.length}` };
  }

  const platform: Platform = fakePlatform('instagram', {
    connect: byToken,
    posts: {
      rules: { ...rules, media: { ...rules.media, pulls } },
      attached: ({ cover }) => (cover === undefined ? [] : [{ ...(cover as MediaRef), type: 'image' }]),
      publish: {
        steps: () => [{ name: 'write', kind: 'idempotent' }],
        run: write,
        finish: (done) => ({ platform_post_id: (done['write'] as { id: string }).id }),
      },
    },
  });
  /** Has something happen before the platform fetches a file. */
  const before = (happens: () => Promise<unknown>) => void (meanwhile = happens);
  return { platform, given, fetched, before };
}

async function open(env: Record<string, string>, pulls: 'any_address' | 'our_address' = 'any_address') {
  const { platform, ...noted } = pullingPlatform(pulls);
  const world = await makeWorld({ env, surroundings: { platforms: new Map([['instagram', platform]]) } });
  const metadata = { token: 'ours' };
  const { body } = await world.rest('POST /v1/accounts/connect', { platform: 'instagram', metadata });
  return { world, ...noted, account: body.account_id as string };
}

const upload = async (world: World, bytes = png(4, 4)): Promise<string> =>
  (await store(world, 'a picture.png', 'image/png', bytes)).id;

/** The options of a post whose cover is a stored file. */
const withCover = (source: string) => ({
  platform_data: { instagram: { cover: { source, source_type: 'media_id' } } },
});

const url = (source: string): MediaRef => ({ source, source_type: 'url' });
const OUTSIDE = url('https://pictures.example.org/a.png');
const REAL = { SANDBOX: 'off' };
const ISSUE = { field: 'media', message: expect.stringContaining('ROOT_URL, or MEDIA_PUBLIC_URL') };

it('refuses stored media for a platform that could not fetch it, at create and in validate_post', async () => {
  const { world, account } = await open(REAL);
  const id = await upload(world);
  for (const [content, skip_validation] of [
    [{ media_ids: [id] }, false],
    [{ media_ids: [id] }, true],
    [{ media: [OUTSIDE], ...withCover(id) }, false],
  ] as const) {
    const issues = [{ platform: 'instagram', target: account, ...ISSUE }];
    const error = { code: 'validation.field_invalid', meta: { field: 'media', issues } };
    const made = await publish(world, account, { text: 'Look', ...content, skip_validation });
    expect(made).toMatchObject({ status: 400, body: { error } });
    for (const to of [{ account_ids: [account] }, { platforms: ['instagram'] }]) {
      const found = await world.rest('POST /v1/posts/validate', { text: 'Look', ...content, ...to });
      expect(found.body).toMatchObject({ valid: false, errors: [{ platform: 'instagram', ...ISSUE }] });
    }
  }
  expect((await publish(world, account, { media: [OUTSIDE] })).body.status).toBe('published');
});

it('gives the platform signed addresses of stored media, and public ones as they are', async () => {
  const { world, given, account } = await open({ ...REAL, MEDIA_PUBLIC_URL: 'https://media.example.org' });
  const bytes = png(5, 5);
  const [id, cover] = [await upload(world, bytes), await upload(world)];
  const post = {
    media: [{ source: id, source_type: 'media_id' }, OUTSIDE],
    ...withCover(cover),
    account_ids: [account],
  };
  expect((await publish(world, account, post)).body.status).toBe('published');
  const signed = expect.stringMatching(/^https:\/\/media\.example\.org\/media\/[^/]+\/a%20picture\.png$/);
  expect(given).toEqual([signed, OUTSIDE.source, signed]);
  const { pathname } = new URL(given[0]!);
  const read = () => fetch(world.root + pathname);
  world.clock.move(59 * MINUTE);
  expect(Buffer.from(await (await read()).arrayBuffer()).equals(bytes)).toBe(true);
  world.clock.move(2 * MINUTE);
  expect((await read()).ok).toBe(false);
  // What is named inside the options of a post is in use, too.
  const removed = await world.rest(`DELETE /v1/media/${cover}`);
  expect(removed).toMatchObject({ status: 409, body: { error: { code: 'media.in_use' } } });
  const missing = { ...post, ...withCover('med_none') };
  expect((await world.rest('POST /v1/posts', missing)).body.error.code).toBe('media.not_found');
  const found = await world.rest('POST /v1/posts/validate', missing);
  expect(found.body).toMatchObject({ valid: false, errors: [{ field: 'media' }] });
  const clip = await upload(world, mp4({ ms: 1000, tracks: [{ handler: 'vide', width: 9, height: 9 }] }));
  for (const [source, message] of [
    [clip, 'names video media where image media is expected'],
    [await upload(world, await animation('gif')), expect.stringContaining('is an animated picture')],
  ] as const) {
    const unfit = { ...post, ...withCover(source) };
    const issue = { field: 'platform_data', message };
    expect((await world.rest('POST /v1/posts/validate', unfit)).body.errors).toMatchObject([issue]);
    const refused = await publish(world, account, unfit);
    expect(refused.body.error.meta.issues).toMatchObject([issue]);
  }
});

it('gives nothing away of where a picture was taken', async () => {
  const { world, given, account } = await open({});
  const media_ids = [await upload(world, cameraPng(1))];
  expect((await publish(world, account, { media_ids })).body.status).toBe('published');
  const whole = await fetch(given[0]!);
  const clean = pngOf([]);
  expect(Buffer.from(await whole.arrayBuffer()).equals(clean)).toBe(true);
  const part = await fetch(given[0]!, { headers: { range: 'bytes=10-49' } });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-49/${clean.length}`]);
  expect(Buffer.from(await part.arrayBuffer()).equals(clean.subarray(10, 50))).toBe(true);
});

it('in the sandbox gives addresses of this machine', async () => {
  const { world, given, account } = await open({});
  const bytes = png(6, 6);
  const media_ids = [await upload(world, bytes)];
  expect((await publish(world, account, { media_ids })).body.status).toBe('published');
  expect(given[0]).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${world.config.port}/media/`));
  expect(Buffer.from(await (await fetch(given[0]!)).arrayBuffer()).equals(bytes)).toBe(true);
});

it('serves what a public address holds from an address of its own, where the platform takes no other', async () => {
  const bytes = png(7, 7);
  const host = await serveTest(createServer((_, response) => response.end(bytes)));
  const { world, given, fetched, account } = await open({}, 'our_address');
  expect((await publish(world, account, { media: [url(`${host}/a.png`)] })).body.status).toBe('published');
  expect(given[0]).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${world.config.port}/media/[^/]+/a\\.png$`));
  expect(fetched.map((all) => all.equals(bytes))).toEqual([true]);
  // It is dropped with the target.
  expect((await fetch(given[0]!)).status).toBe(404);
});

it('serves nothing of it any more when the user is deleted before the platform comes', async () => {
  const host = await serveTest(createServer((_, response) => response.end(png(7, 7))));
  const { world, given, before, account } = await open({}, 'our_address');
  const answers: number[] = [];
  const look = async () => answers.push((await fetch(given[0]!)).status);
  before(async () => {
    await look();
    expect((await world.rest('DELETE /v1/users/me')).status).toBe(200);
    await look();
  });
  await publish(world, account, { media: [url(`${host}/a.png`)] });
  expect(answers).toEqual([200, 404]);
});

it('refuses an outside address, too, where the platform takes ours alone and cannot reach it', async () => {
  const { world, account } = await open(REAL, 'our_address');
  const made = await publish(world, account, { media: [OUTSIDE] });
  expect(made.body.error.meta.issues).toMatchObject([ISSUE]);
});
