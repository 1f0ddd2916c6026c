import { MINUTE, HOUR } from '#kernel/clock.ts';
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { PictureResult, PictureTask } from '#engine/media/pictures/tasks.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { mp4, pieces } from '../../harness/media-samples.ts';
import { animation, bytesOf, phonePhoto, scene } from '../../harness/pictures/samples.ts';
import { sharedWorkshop } from '../../harness/pictures/workshop.ts';
import { makeWorld, START, tokenOf, type Shelf, type World } from '../../harness/worlds/media.ts';

/** A media room whose picture process counts its tasks. */
async function open(store: Parameters<typeof makeWorld>[0], shelf: Shelf = 'disk') {
  const world = await makeWorld(store, { shelf });
  const tasks: PictureTask[] = [];
  const run = (task: PictureTask): Promise<PictureResult> => {
    tasks.push(task);
    return sharedWorkshop.run(task);
  };
  const media = world.another({ workshop: { run, close: () => {} } });
  const upload = (bytes: Uint8Array, filename = 'a.jpg') =>
    media.upload(world.owner, { file: pieces(Buffer.from(bytes)), filename });
  return { ...world, media, tasks, upload };
}

async function thumbnailOf({ media }: Pick<World, 'media'>, url: string | null, width?: number) {
  const file = await media.read(tokenOf(url!), width);
  const bytes = await buffer(file.stream(0, file.size_bytes - 1));
  expect([file.content_type, file.inline, bytes.length]).toEqual(['image/webp', true, file.size_bytes]);
  const { format, width: wide, height: high, exif } = await sharp(bytes).metadata();
  return { bytes, seen: [format, wide, high, exif] };
}

describeStores('thumbnails', { kinds: ['memory'] }, ({ open: openStore }) => {
  it.for(['disk', 'bucket'] as const)('are made once, kept on the %s, and removed with the file', async (shelf) => {
    const world = await open(await openStore(), shelf);
    const item = await world.upload(await phonePhoto(1200, 1600));
    const before = world.files();
    // Ten people look at the same time.
    const all = await Promise.all(Array.from({ length: 10 }, () => thumbnailOf(world, item.thumbnail_url)));
    expect(new Set(all.map(({ seen }) => String(seen)))).toEqual(new Set([String(['webp', 320, 427, undefined])]));
    expect((await thumbnailOf(world, item.thumbnail_url, 960)).seen).toEqual(['webp', 960, 1280, undefined]);
    const again = await thumbnailOf(world, item.thumbnail_url);
    expect(again.bytes.equals(all[0]!.bytes)).toBe(true);
    expect(world.tasks).toMatchObject([{ width: 320 }, { width: 960 }]);
    expect(world.files()).toHaveLength(before.length + 2);
    // Another process, or the same after a restart, finds them.
    const other = world.another({ workshop: { run: () => Promise.reject(new Error('no')), close: () => {} } });
    expect((await thumbnailOf({ media: other }, item.thumbnail_url)).seen[1]).toBe(320);
    expect(await world.used()).toBe(item.size_bytes);
    await world.media.remove(world.authority, item.id);
    expect(world.files()).toEqual([]);
    await expect(world.media.read(tokenOf(item.thumbnail_url!))).rejects.toMatchObject({ code: 'media.not_found' });
  });

  it.for(['disk', 'bucket'] as const)('stay in the sweep of the %s as long as their file', async (shelf) => {
    const world = await open(await openStore(), shelf);
    const [kept, gone] = [await world.upload(await phonePhoto(400, 300)), await world.upload(await phonePhoto(30, 40))];
    for (const { thumbnail_url: url } of [kept, gone]) await thumbnailOf(world, url);
    await world.store.write(({ db }) => db.deleteFrom('media').where('id', '=', gone.id).execute());
    world.clock.move(Date.now() - START + 48 * HOUR);
    expect(await world.media.sweep()).toMatchObject({ orphans: 2 });
    expect(world.files().filter((name) => name.startsWith(gone.id))).toEqual([]);
    expect(world.files()).toHaveLength(2);
  });

  it('are upright, not enlarged, of the first frame, and not too high', async () => {
    const world = await open(await openStore());
    const small = await world.upload(await phonePhoto(30, 40));
    expect((await thumbnailOf(world, small.thumbnail_url)).seen).toEqual(['webp', 30, 40, undefined]);
    const moving = await world.upload(await animation('gif'), 'a.gif');
    expect((await thumbnailOf(world, moving.thumbnail_url)).seen).toEqual(['webp', 40, 40, undefined]);
    const high = await world.upload(await bytesOf(scene(100, 4000).png()), 'a.png');
    expect((await thumbnailOf(world, high.thumbnail_url)).seen).toEqual(['webp', 16, 640, undefined]);
  });

  it('have one address for an hour, which expires', async () => {
    const world = await open(await openStore());
    const { thumbnail_url: url } = await world.upload(await phonePhoto(30, 40));
    expect(url).toMatch(/^http:\/\/localhost:8080\/media\/[\w.-]+\/thumbnail\.webp$/);
    world.clock.move(HOUR / 2);
    const { data } = await world.media.list(world.authority, { limit: 10 });
    expect(data[0]!.thumbnail_url).toBe(url);
    world.clock.move(HOUR);
    await thumbnailOf(world, url);
    world.clock.move(HOUR / 2);
    await expect(world.media.read(tokenOf(url!))).rejects.toMatchObject({ code: 'auth.invalid_secret' });
  });

  it('are there for pictures only, in two widths', async () => {
    const world = await open(await openStore());
    expect((await world.upload(mp4(), 'a.mp4')).thumbnail_url).toBe(null);
    const { thumbnail_url: url } = await world.upload(await phonePhoto(30, 40));
    await expect(world.media.read(tokenOf(url!), 5000)).rejects.toMatchObject({
      message: expect.stringContaining('960'),
    });
  });

  it('of a damaged picture are refused in a sentence, which is looked for once', async () => {
    const world = await open(await openStore());
    const whole = await phonePhoto(1200, 900);
    const { thumbnail_url: url } = await world.upload(whole.subarray(0, whole.length / 2), 'half.jpg');
    const read = () => world.media.read(tokenOf(url!)).catch((error: unknown) => error);
    const message = 'There is no thumbnail of half.jpg, which cannot be read: it is damaged or incomplete.';
    for (let time = 0; time < 2; time += 1) expect(await read()).toMatchObject({ status: 404, message });
    expect(world.tasks).toHaveLength(1);
    // It may have been a busy machine.
    world.clock.move(10 * MINUTE);
    expect(await read()).toMatchObject({ status: 404, message });
    expect(world.tasks).toHaveLength(2);
    expect(world.files()).toHaveLength(1);
  });

  describe('asked for by many at once', () => {
    it('are made one at a time, and no more wait than a page shows', async () => {
      const world = await makeWorld(await openStore());
      const { promise: opened, resolve: go } = Promise.withResolvers<void>();
      let [working, most] = [0, 0];
      const run = async (task: PictureTask): Promise<PictureResult> => {
        most = Math.max(most, (working += 1));
        await opened;
        working -= 1;
        return { refused: `is number ${task.from.slice(-1)}` };
      };
      const media = world.another({ workshop: { run, close: () => {} } });
      const bytes = await phonePhoto(30, 40);
      const items = await Promise.all(
        Array.from({ length: 70 }, () => media.upload(world.owner, { file: pieces(bytes), filename: 'a.jpg' })),
      );
      const asking = items.map(({ thumbnail_url: url }) =>
        media.read(tokenOf(url!)).catch(({ code, detail }) => [code, detail.retryAfter]),
      );
      await expect.poll(() => working).toBe(1);
      go();
      const answers = await Promise.all(asking);
      const refused = answers.filter(([code]: any) => code === 'media.not_found');
      const busy = answers.filter(([code]: any) => code === 'http.503');
      expect([refused.length, busy.length, most]).toEqual([64, 6, 1]);
      expect(busy[0]).toEqual(['http.503', 5]);
    });

    it('are tried again later if the process for pictures is ended from outside', async () => {
      const world = await makeWorld(await openStore());
      const run = () => Promise.reject(new Error('The process for pictures was ended: SIGKILL'));
      const media = world.another({ workshop: { run, close: () => {} } });
      const { thumbnail_url: url } = await media.upload(world.owner, { file: pieces(await phonePhoto(30, 40)) });
      await expect(media.read(tokenOf(url!))).rejects.toMatchObject({ code: 'http.503', detail: { retryAfter: 5 } });
    });
  });
});
