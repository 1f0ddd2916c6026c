import { MINUTE } from '#kernel/clock.ts';
import { expect, it } from 'vitest';
import { mp4 } from '../harness/media-samples.ts';
import { facebookOf } from '../harness/platforms/facebook.ts';
import { describeStores } from '../harness/stores/stores.ts';
import { openLasting } from '../harness/worlds/restarts.ts';
import { postNow, store } from '../harness/calls/rest.ts';
import type { Json } from '../harness/world.ts';

const film = mp4({ ms: 5000, tracks: [{ handler: 'vide', width: 720, height: 1280 }] });

describeStores('a platform that works on a video for 20 minutes', { kinds: ['file', 'postgres'] }, (stores) => {
  it.each([
    ['a video', {}],
    ['a reel', { platform_data: { facebook: { media_type: 'reel' } } }],
  ])('publishes %s by one attempt, across a restart of the server', async (_, options) => {
    const { first, restart } = await openLasting(await stores.place());
    const facebook = facebookOf(first);
    const account = await facebook.connect();
    await facebook.act('settings', { video_processing_ms: 20 * MINUTE });
    const { id: video } = await store(first, 'video.mp4', 'video/mp4', film);
    const post = { text: 'Long', media_ids: [video], account_ids: [account.id], ...options };
    const made = await first.rest('POST /v1/posts', { ...post, publish_now: true });
    expect(made.body.results).toMatchObject([{ status: 'publishing', attempts: 1, error: null, error_code: null }]);
    for (let minute = 0; minute < 8; minute += 1) await first.pass(MINUTE);

    const second = await restart();
    const get = () => postNow(second, made.body.id);
    for (let minute = 0; minute < 11; minute += 1) await second.pass(MINUTE);
    expect((await get()).results).toMatchObject([{ status: 'publishing', attempts: 1, error: null }]);
    for (let minute = 0; minute < 4; minute += 1) await second.pass(MINUTE);
    expect(await get()).toMatchObject({ status: 'published', results: [{ attempts: 1, error: null }] });
    const { data: logs } = (await second.rest(`GET /v1/posts/logs?post_id=${made.body.id}`)).body;
    expect(logs).toMatchObject([{ action: 'publish', status: 'success', attempt: 1 }]);
    const posts: Json[] = await facebookOf(second).look('posts');
    expect(posts.filter(({ message }) => message === 'Long')).toMatchObject([{ is_published: true }]);
  });
});
