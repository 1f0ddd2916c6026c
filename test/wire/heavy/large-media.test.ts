import { expect, it } from 'vitest';
import { pieces, png } from '../../harness/media-samples.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeWorld } from '../../harness/worlds/media.ts';

const MOST = 32 * 1024 * 1024;

describeStores('a stored item', { kinds: ['memory'] }, (stores) => {
  it.each(['disk', 'bucket'] as const)('on a %s is read as a whole up to 32 MiB, and in parts above', async (shelf) => {
    const world = await makeWorld(await stores.open(), { shelf });
    async function openedOf(size: number) {
      const { id } = await world.media.upload(world.owner, { file: pieces(png(4, 4, size - png(4, 4).byteLength)) });
      return world.media.open(world.owner.id, id, { until: Promise.resolve() });
    }
    expect(await (await openedOf(MOST)).bytes()).toHaveLength(MOST);
    const larger = await openedOf(MOST + 1);
    await expect(larger.bytes()).rejects.toMatchObject({ code: 'http.413' });
    expect(await larger.read(MOST - 9, 100)).toEqual(new Uint8Array(png().subarray(-10)));
  });
});
