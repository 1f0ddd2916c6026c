import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeSmall } from '#engine/media/pictures/small.ts';
import type { MakeSmall } from '#sandbox/kit/small.ts';
import { makeFolder } from '../harness/folders.ts';
import { png } from '../harness/media-samples.ts';
import { bytesOf, scene } from '../harness/pictures/samples.ts';
import { sharedWorkshop } from '../harness/pictures/workshop.ts';
import { openWorld } from '../harness/worlds/twins/bluesky.ts';

const ALICE = 'alice.sandbox.test';

/** A sandbox in which a post shows a picture; how often small ones were made. */
async function open(bytes: Uint8Array, type: string, hasSmall = true) {
  let made = 0;
  const make = makeSmall({ folder: join(makeFolder(), 'media'), workshop: sharedWorkshop });
  const small: MakeSmall = (...picture) => {
    made += 1;
    return make(...picture);
  };
  const world = await openWorld(hasSmall ? { small } : {});
  onTestFinished(() => world.close());
  const session = await world.login(ALICE);
  const { blob } = (await world.upload(session.accessJwt, bytes, type)).json;
  const images = [{ image: blob, alt: 'A scene' }];
  const record = { text: 'x', createdAt: '2026-11-21T12:00:00Z', embed: { $type: 'app.bsky.embed.images', images } };
  const { uri } = (await world.write(session, 'createRecord', { collection: 'app.bsky.feed.post', record })).json;
  const page = await world.ask(`/sandbox/bluesky/profile/${ALICE}/post/${uri.split('/').at(-1)}`);
  const [, whole, src] = /<a href="([^"]+)"><img src="([^"]+)" alt="A scene"/.exec(page.text)!;
  const read = async (url: string) => {
    const answer = await fetch(new URL(url.replaceAll('&amp;', '&'), world.root));
    return { type: answer.headers.get('content-type'), bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  return { read, whole: whole!, src: src!, made: () => made };
}

describe('pictures on pages of the sandbox', () => {
  it('are small copies, made once, that lead to the whole file', async () => {
    const photo = await bytesOf(scene(1600, 900).jpeg({ quality: 90 }));
    const { read, whole, src, made } = await open(photo, 'image/jpeg');
    const first = await read(src);
    expect([first.type, first.bytes.length < photo.length / 4]).toEqual(['image/webp', true]);
    expect(await sharp(first.bytes).metadata()).toMatchObject({ format: 'webp', width: 640, height: 360 });
    expect((await read(src)).bytes.equals(first.bytes)).toBe(true);
    expect(made()).toBe(1);
    const original = await read(whole);
    expect([original.type, original.bytes.equals(photo)]).toEqual(['image/jpeg', true]);
  });

  it('are shown as they are where they are small', async () => {
    const { read, src, made } = await open(png(), 'image/png');
    expect([(await read(src)).type, made()]).toEqual(['image/png', 0]);
  });

  it('are shown whole where no small copy can be made', async () => {
    const photo = await bytesOf(scene(900, 600).jpeg({ quality: 95 }));
    const half = photo.subarray(0, photo.length / 2);
    const damaged = await open(half, 'image/jpeg');
    expect((await damaged.read(damaged.src)).bytes.equals(half)).toBe(true);
    const without = await open(photo, 'image/jpeg', false);
    expect((await without.read(without.src)).bytes.equals(photo)).toBe(true);
  });
});
