import { expect } from 'vitest';
import { createServer } from 'node:http';
import { it, type World } from '../../harness/world.ts';
import { publish, store } from '../../harness/calls/rest.ts';
import { cameraJpeg, cameraMp4, cameraPng, cameraWebp, PLACES } from '../../harness/camera-samples.ts';
import { phonePhoto } from '../../harness/pictures/samples.ts';
import { serveTest } from '../../harness/sockets.ts';

const placesIn = (bytes: Buffer) => PLACES.filter((place) => bytes.includes(place));

async function read(address: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(address)).arrayBuffer());
}

/** The files of a post, as everybody gets them. */
async function filesOf(world: World, account: string, content: object): Promise<readonly Buffer[]> {
  const { body } = await publish(world, account, content);
  expect(body.status).toBe('published');
  const [repo, collection, rkey] = body.results[0].platform_post_id.slice('at://'.length).split('/');
  const ask = (method: string, query: Record<string, string>) =>
    read(`${world.root}/sandbox/bluesky/xrpc/${method}?${String(new URLSearchParams(query))}`);
  const record = (await ask('com.atproto.repo.getRecord', { repo, collection, rkey })).toString();
  const cids = [...record.matchAll(/"\$link":"(\w+)"/g)].map(([, cid]) => cid!);
  return Promise.all(cids.map((cid) => ask('com.atproto.sync.getBlob', { did: repo, cid })));
}

it('what is published says nothing of where it was taken', async ({ world }) => {
  const { id: account } = await world.connect();
  const pictures = [
    ['a.jpg', 'image/jpeg', await phonePhoto(60, 40, 6)],
    ['b.png', 'image/png', cameraPng(1)],
    ['c.webp', 'image/webp', cameraWebp(1)],
  ] as const;
  const host = await serveTest(createServer((_, response) => response.end(cameraJpeg(1))));
  const stored = await Promise.all(pictures.map(([name, type, bytes]) => store(world, name, type, bytes)));
  const media = stored.map(({ id }) => ({ source: id, source_type: 'media_id' }));
  const shown = await filesOf(world, account, {
    text: 'Look',
    media: [...media, { source: `${host}/d.jpg`, source_type: 'url' }],
  });
  expect(shown.map(placesIn)).toEqual([[], [], [], []]);
  const film = await store(world, 'd.mp4', 'video/mp4', cameraMp4());
  const [clip] = await filesOf(world, account, { text: 'Watch', media_ids: [film.id] });
  expect([placesIn(clip!), clip!.length]).toEqual([[], cameraMp4().length]);
  // Whoever stored a file gets it back whole.
  const { body } = await world.rest('GET /v1/media');
  const own = await Promise.all(body.data.map(({ url }: { url: string }) => read(url)));
  expect(own.every((bytes: Buffer) => placesIn(bytes).length > 0)).toBe(true);
});
