import { MINUTE } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { jpeg } from '../../harness/media-samples.ts';
import { publish, read } from '../../harness/calls/rest.ts';
import { it, type World } from '../../harness/world.ts';
import { FRED, OLIVIA, standInOf } from './stand-in.ts';

const textsIn = (data: readonly { content: { text: string } }[]) => data.map(({ content: { text } }) => text);

async function exported(world: World, account: string) {
  const { body } = await world.rest(`POST /v1/accounts/${account}/export`, {});
  await world.settle();
  return read(world, `/v1/exports/${body.id}`);
}

/** Reads the posts of an account in step; what is told of it. */
async function synced(world: World, account: string) {
  world.clock.move(6 * MINUTE);
  const { status, body } = await world.rest(`POST /v1/accounts/${account}/sync`);
  return [status, body.error?.code ?? body];
}

describe('what a platform refuses to show is left out, and named', () => {
  it('one of two lists of mentions, on every page of ours', async ({ world }) => {
    const tiktok = standInOf(world, 'tiktok', '/v2/auth/authorize/');
    const account = await tiktok.connect(OLIVIA, 'business');
    const mention = (text: string, more: object = {}) =>
      tiktok.does('mention', { person: FRED, account: OLIVIA, text, ...more });
    const { post } = await mention('One');
    for (const [text, more] of [['Two'], ['Three', { post }]] as const) {
      world.clock.move(MINUTE);
      await mention(text, more);
    }
    const refuse = (kind: string, times: number) =>
      tiktok.act('order', {
        method: `GET /open_api/v1.3/business/mention/${kind}/list/`,
        when: 'before',
        status: '200',
        code: '40001',
        times: String(times),
      });
    const mentions = `/v1/accounts/${account}/mentions` as const;
    await refuse('comment', 2);
    const warnings = [expect.stringMatching(/^The list of comments was left out: /)];
    const first = await read(world, `${mentions}?limit=2`);
    const ending = (words: string) => expect.stringMatching(new RegExp(`${words}$`));
    expect([textsIn(first.data), first.warnings]).toEqual([[ending('Three'), ending('Two')], warnings]);
    const next = await read(world, `${mentions}?limit=2&cursor=${first.next_cursor}`);
    expect([textsIn(next.data), next.warnings]).toEqual([[ending('One')], warnings]);
    expect((await read(world, mentions)).warnings).toBeUndefined();
    await refuse('comment', 1);
    await refuse('video', 1);
    expect(await world.rest(`GET ${mentions}`)).toMatchObject({
      status: 403,
      body: { error: { code: 'platform.tiktok.permission_denied' } },
    });
  });

  it('one of two lists of posts, in a sync and in an export', async ({ world }) => {
    const zalo = standInOf(world, 'zalo', '/v4/oa/permission');
    const account = await zalo.connect(OLIVIA);
    const media_ids = [await zalo.upload('a.jpg', 'image/jpeg', jpeg(720, 1280))];
    await publish(world, account, { title: 'Bread', text: 'Fresh', media_ids });
    await world.pass(MINUTE);
    const refuse = (times: number) =>
      zalo.act('order', {
        method: 'GET /v2.0/article/getslice',
        when: 'before',
        status: '200',
        error: '-224',
        times: String(times),
      });
    const warnings = [
      expect.stringMatching(/^The list of (?:articles|videos) was left out: Zalo requires a larger package/),
    ];
    await refuse(1);
    expect(await synced(world, account)).toEqual([200, { warnings }]);
    await refuse(1);
    expect(await exported(world, account)).toMatchObject({ status: 'completed', warnings });
    expect(await exported(world, account)).toMatchObject({ status: 'completed', total_videos: 1, warnings: [] });
    await refuse(2);
    expect(await synced(world, account)).toEqual([403, 'platform.zalo.permission_denied']);
    await refuse(2);
    expect(await exported(world, account)).toMatchObject({ status: 'failed' });
  });

  it('the metrics of a post, in an export of several', async ({ world }) => {
    const threads = standInOf(world, 'threads', '/oauth/authorize');
    const account = await threads.connect(OLIVIA);
    for (const text of ['One', 'Two', 'Three']) await publish(world, account, { text });
    const before = (await exported(world, account)).warnings;
    await threads.act('order', { method: 'GET post/insights', when: 'before', status: 403, code: 10, times: 1 });
    const done = await exported(world, account);
    const warnings = [expect.stringMatching(/^Some posts came without metrics: /)];
    expect([before, done.status, done.warnings]).toEqual([[], 'completed', warnings]);
  });
});
