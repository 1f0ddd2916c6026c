import { MINUTE } from '#kernel/clock.ts';
import { describe, expect, it } from 'vitest';
import { PlatformError } from '#platforms/errors.ts';
import { sendPush } from '../../harness/platforms/inbound.ts';
import { makeWorld } from '../../harness/world.ts';
import { download, exportWorld, postsOf, rowsOf } from './world.ts';

const pagesOf = (...ids: readonly string[]) => ids.map((id) => ({ platform_page_id: id, name: `Page ${id}` }));
const PAGES = pagesOf('11', '22');

describe('an export', () => {
  it('reads every page of the list, however far a sync would read', async () => {
    const { telling, finished } = await exportWorld({ posts: postsOf(250) });
    const done = await finished();
    expect([done.status, done.total_videos, telling.listed.length]).toEqual(['completed', 250, 3]);
    expect(await rowsOf(done)).toHaveLength(251);
  });

  it('reads on behind a page of the list that is empty, and not without end', async () => {
    const all = postsOf(250);
    const posts = {
      filter: () => ({ length: 250, slice: (from: number, to: number) => (from === 100 ? [] : all.slice(from, to)) }),
    };
    const { finished } = await exportWorld({ posts: posts as never });
    expect(await finished()).toMatchObject({ status: 'completed', total_videos: 150 });
    const circle = { filter: () => ({ length: Infinity, slice: () => all.slice(0, 3) }) };
    const endless = await exportWorld({ posts: circle as never });
    expect(await endless.finished()).toMatchObject({ status: 'completed', total_videos: 3 });
    expect(endless.telling.listed.length).toBeLessThan(30);
  });

  it.each([['11'], ['22']])('reads the pages of an account without page %s, which refuses', async (page) => {
    const { telling, finished } = await exportWorld({ posts: postsOf(2), pages: PAGES });
    telling.refused.add(page);
    const warnings = [`The page Page ${page} was left out: Not for you.`];
    expect(await finished()).toMatchObject({ status: 'completed', total_videos: 2, warnings });
  });

  it('names each page that refuses, and fails when all do', async () => {
    const { telling, finished } = await exportWorld({ posts: postsOf(2), pages: pagesOf('11', '22', '33') });
    for (const page of ['11', '33']) telling.refused.add(page);
    const warnings = ['11', '33'].map((page) => `The page Page ${page} was left out: Not for you.`);
    expect(await finished()).toMatchObject({ status: 'completed', total_videos: 2, warnings });
    telling.refused.add('22');
    const none = await finished();
    expect(none).toMatchObject({ status: 'failed', error: 'Not for you.', result: null, expires_at: null });
  });

  it('goes on without a page that fails again and again, and without the rest of one that does so later', async () => {
    const { world, telling, begin, look } = await exportWorld({ posts: [], pages: PAGES });
    const posts = postsOf(150).map((post) => ({ ...post, page_id: '11' }));
    Object.defineProperty(telling, 'posts', {
      get() {
        if (telling.listed.length > 1) throw new PlatformError('unknown', 'api_error', 'No answer.');
        return posts;
      },
    });
    const id = await begin();
    for (let n = 0; n < 16; n += 1) await world.pass(3 * 60 * MINUTE);
    const warnings = ['The page Page 11 was read in part: No answer.', 'The page Page 22 was left out: No answer.'];
    expect(await look(id)).toMatchObject({ status: 'completed', total_videos: 100, warnings });
  });

  it('goes on where it stood in another process', async () => {
    const { world, telling, begin, look } = await exportWorld({ posts: postsOf(350) });
    const id = await begin();
    const step = () => world.product.modules.exports.run(id);
    await step();
    await step();
    expect(await look(id)).toMatchObject({ status: 'processing', total_videos: 200, processed_videos: 200 });
    // The same step in two processes at once is taken once.
    await Promise.all([step(), step()]);
    await world.settle();
    expect(await look(id)).toMatchObject({ status: 'completed', total_videos: 350 });
    expect(telling.listed.length).toBeLessThanOrEqual(5);
    const { videos } = (await world.rest(`GET /v1/exports/${id}/videos`)).body;
    const ids = videos.map((video: { platform_video_id: string }) => video.platform_video_id);
    expect(ids).toEqual(postsOf(350).map(({ platform_post_id }) => platform_post_id));
  });

  it('leaves a page out once, where two processes find that it refuses', async () => {
    const { world, telling, begin, look } = await exportWorld({ posts: postsOf(2), pages: PAGES });
    telling.refused.add('11');
    const id = await begin();
    const step = () => world.product.modules.exports.run(id);
    expect(await Promise.all([step(), step()])).toEqual([{ again: 0 }, { again: 0 }]);
    await world.settle();
    const warnings = ['The page Page 11 was left out: Not for you.'];
    expect(await look(id)).toMatchObject({ status: 'completed', total_videos: 2, warnings });
  });

  it('waits for a platform that throttles, and gives up on one that fails again and again', async () => {
    const { world, telling, begin, look } = await exportWorld();
    const posts = telling.posts!;
    let error = new PlatformError('throttled', 'rate_limit', 'Slow down.', { retryAfter: 600 });
    let failing = true;
    Object.defineProperty(telling, 'posts', {
      get() {
        if (failing) throw error;
        return posts;
      },
    });
    const id = await begin();
    const status = async () => (await look(id)).status;
    await world.settle();
    expect(await status()).toBe('pending');
    failing = false;
    await world.pass(9 * MINUTE);
    expect(await status()).toBe('pending');
    await world.pass(MINUTE);
    expect(await status()).toBe('completed');

    failing = true;
    error = new PlatformError('unknown', 'api_error', 'No answer.');
    const other = await begin();
    for (let n = 0; n < 8; n += 1) await world.pass(3 * 60 * MINUTE);
    expect(await look(other)).toMatchObject({ status: 'failed', error: 'No answer.' });
    const { exports } = (await world.product.store.db.selectFrom('usage').select('exports').execute())[0]!;
    expect(exports).toBe(1);
  });

  it('fails when its account goes away', async () => {
    const { world, accountId, begin, look } = await exportWorld();
    const id = await begin();
    await world.rest(`DELETE /v1/accounts/${accountId}`);
    await world.settle();
    expect(await look(id)).toMatchObject({ status: 'failed', error: 'The account was removed.' });
  });

  it('leaves nothing of an account whose person has their data deleted, whatever its name', async () => {
    const { world, finished } = await exportWorld();
    await world.product.store.write(({ db }) => db.updateTable('accounts').set({ name: 'erased' }).execute());
    const done = await finished();
    expect((await download(done.result.excel_url)).status).toBe(200);
    const demand = [{ user: 'ann', event: { kind: 'deletion' } as const }];
    expect((await sendPush(`${world.root}/push/facebook/deletion`, demand)).status).toBe(200);
    await world.settle();
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(0);
    expect((await world.rest(`GET /v1/exports/${done.id}`)).status).toBe(410);
    expect((await download(done.result.excel_url)).status).toBe(404);
    expect(await world.product.store.db.selectFrom('export_posts').selectAll().execute()).toEqual([]);
  });

  it('takes text for text, whatever it looks like', async () => {
    const formulas = ['=1+1', '+SUM(A1)', '-2', '@cmd', '\tTab'];
    const texts = [...formulas, '<script>alert(1)</script>', 'bell\u0007 \ud800', 'ä'.repeat(40_000)];
    const posts = texts.map((text, at) => ({
      ...postsOf(texts.length)[at]!,
      text,
      permalink: at === 5 ? 'javascript:alert(1)' : 'https://told.test/"><img src=x>',
    }));
    const { finished } = await exportWorld({ posts });
    const done = await finished();
    const cells = (await rowsOf(done)).slice(1).map((row) => row[2]);
    expect(cells.slice(0, 6)).toEqual(texts.slice(0, 6));
    expect(cells[6]).toBe('bell \ufffd');
    expect(cells[7]).toHaveLength(32_767);
    const page = await (await download(done.report_url)).text();
    expect(page).not.toMatch(/<script|<img|javascript:/);
    expect(page).toContain('&lt;script&gt;');
  });

  it('draws a report of an account without posts', async () => {
    const { finished } = await exportWorld({ posts: [] });
    const done = await finished();
    expect(done.total_videos).toBe(0);
    expect(await rowsOf(done)).toHaveLength(1);
    expect(await (await download(done.report_url)).text()).toContain('No posts yet');
  });

  it('of a real account has its posts', async () => {
    const world = await makeWorld();
    const account = await world.connect();
    await world.rest('POST /v1/posts', { text: 'To be counted', account_ids: [account.id], publish_now: true });
    await world.settle();
    const { id } = (await world.rest(`POST /v1/accounts/${account.id}/export`)).body;
    await world.settle();
    const { videos } = (await world.rest(`GET /v1/exports/${id}/videos`)).body;
    expect(videos).toEqual([
      expect.objectContaining({ description: 'To be counted', like_count: 0, platform: 'bluesky' }),
    ]);
  });
});
