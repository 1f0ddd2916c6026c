import { expect, it } from 'vitest';
import { UPLOADS, uploadThroughKills } from '#test/soak/uploads.ts';

it('a video of 300 MB goes up in chunks with less than 100 MB more resident memory, through ten kills, once', async () => {
  const { post, mostMb, fetches, videos, isSame } = await uploadThroughKills(UPLOADS.tiktok, 300, 10);
  process.stdout.write(`300 MB: at most ${mostMb.toFixed(0)} MB more resident memory\n`);
  expect(post).toMatchObject({ status: 'published' });
  expect(mostMb).toBeLessThan(100);
  expect(fetches).toBe(1);
  expect(videos).toHaveLength(1);
  expect(isSame).toBe(true);
});
