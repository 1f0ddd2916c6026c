import { describe, expect, test } from 'vitest';
import { aMention, noSuchThing, silent } from '../../harness/platforms/social.ts';
import {
  call,
  expectInvalid,
  expectRefusal,
  expectRequired,
  onFreePlan,
  useInteractions,
} from '../../harness/calls/operations.ts';
import { endSession } from '../../harness/worlds/account.ts';
import { allOf, expectLacking, makeStage } from '../../harness/worlds/social.ts';
import type { World } from '../../harness/world.ts';

const it = test.extend('played', () => scene());

const NOON = Date.UTC(2026, 0, 14, 12);
const ids = (rows: readonly { platform_id: string }[]) => rows.map(({ platform_id }) => platform_id);

const factsOf = (mentions: readonly ReturnType<typeof aMention>[]) =>
  mentions.map((mention) => ({ kind: 'mention', mention }) as const);

async function scene(platform: 'twitter' | 'facebook' | 'linkedin' = 'twitter') {
  const stage = await makeStage();
  return { ...stage, account: await stage.connect(platform) };
}

describe('get_mentions', () => {
  it('merges what was pushed with what the platform lists, and reports what is new together', async () => {
    const { world, net, account, tell } = await scene();
    const receiver = await world.receive(['mention.received']);
    const pushed = aMention({ platform_id: 'pushed', created_at: NOON + 2 });
    await tell(account, [{ kind: 'mention', mention: pushed }]);
    net.mentions.push(
      aMention({ platform_id: 'new', created_at: NOON + 3, mention_type: 'comment', comment_id: 'c7' }),
      pushed,
      aMention({ platform_id: 'old', created_at: NOON + 1 }),
    );
    const { status, body } = await call(world, 'get_mentions', { account_id: account.id });
    expect([status, ids(body.data), body.count, body.next_cursor]).toEqual([200, ['new', 'pushed', 'old'], 3, '']);
    expect(body.data[0]).toMatchObject({
      id: expect.stringMatching(/^mnt_/),
      type: 'mention',
      brand_id: account.brand_id,
      account_id: account.id,
      platform: 'twitter',
      platform_id: 'new',
      platform_post_id: net.mentions[0]!.platform_post_id,
      author: { id: 'fan', name: 'Fan' },
      content: { text: net.mentions[0]!.text, media: [] },
      created_at: new Date(NOON + 3).toISOString(),
      received_at: new Date(NOON + 3).toISOString(),
      metadata: { mention_type: 'comment', comment_id: expect.stringMatching(/^cmt_/) },
    });
    await world.settle();
    const told = receiver.received.map(({ body: event }) => event.data);
    const toldIds = told.map((data) => (Array.isArray(data) ? ids(data) : data['platform_id']));
    expect(toldIds).toEqual(['pushed', ['new', 'old']]);
    await call(world, 'get_mentions', { account_id: account.id });
    await tell(account, [{ kind: 'mention', mention: net.mentions[0]! }]);
    await world.settle();
    expect(receiver.received).toHaveLength(2);
  });

  it('pages to the end of both, and shows nothing twice', async ({ played: { world, net, account, tell } }) => {
    const all = Array.from({ length: 7 }, (_, at) => aMention({ platform_id: `m${at}`, created_at: NOON - at }));
    net.mentions.push(...all.filter((_, at) => at % 2 === 0));
    await tell(account, factsOf(all.filter((_, at) => at % 2 === 1)));
    for (const limit of [1, 2, 3, 50]) {
      const rows = await allOf(world, 'get_mentions', { account_id: account.id }, limit);
      expect([limit, ids(rows)]).toEqual([limit, ids(all)]);
    }
    const since = new Date(NOON - 3).toISOString();
    const late = await allOf(world, 'get_mentions', { account_id: account.id, since }, 1);
    expect(ids(late)).toEqual(['m0', 'm1', 'm2']);
    const { next_cursor: cursor } = (await call(world, 'get_mentions', { account_id: account.id, limit: 1 })).body;
    await expectInvalid(call(world, 'get_mentions', { account_id: account.id, since, cursor }), 'cursor');
  });

  it('shows what is stored where the platform lists nothing', async () => {
    const { world, account, tell } = await scene('facebook');
    const mentions = [1, 2, 3].map((at) => aMention({ platform_id: `m${at}`, created_at: NOON - at, page_id: 'p2' }));
    await tell(account, factsOf(mentions));
    const rows = await allOf(world, 'get_mentions', { account_id: account.id }, 2);
    expect(ids(rows)).toEqual(['m1', 'm2', 'm3']);
    const pages = (await call(world, 'list_account_pages', { account_id: account.id })).body.data;
    expect(rows[0].page_id).toBe(pages.find(({ name }: { name: string }) => name === 'Page Two').id);
  });

  it('reads the lists of all active pages as one, each as far as it is told', async () => {
    const { world, net, account, tell } = await scene('linkedin');
    const receiver = await world.receive(['mention.received']);
    // Page one is busy and page two is not; some are as old as one another, and one is only stored.
    const of = (page_id: string, times: readonly number[]) =>
      times.map((at) => aMention({ platform_id: `${page_id}-${at}`, created_at: NOON - at, page_id }));
    const [one, two] = [of('p1', [0, 1, 2, 3, 4, 9, 12]), of('p2', [3, 5, 6, 7, 9, 11])];
    const stored = aMention({ platform_id: 'stored', created_at: NOON - 8, page_id: 'p2' });
    net.mentions.push(...one, ...two);
    await tell(account, [{ kind: 'mention', mention: stored }]);
    const all = [...one, ...two, stored].toSorted(
      (a, b) => b.created_at - a.created_at || (a.platform_id < b.platform_id ? 1 : -1),
    );
    for (const limit of [1, 2, 3, 5, 50]) {
      const rows = await allOf(world, 'get_mentions', { account_id: account.id }, limit);
      expect([limit, ids(rows)]).toEqual([limit, ids(all)]);
    }
    const since = new Date(NOON - 6).toISOString();
    const late = await allOf(world, 'get_mentions', { account_id: account.id, since }, 2);
    expect(ids(late)).toEqual(ids(all.filter(({ created_at: at }) => at > NOON - 6)));
    await world.settle();
    const told = receiver.received.flatMap(({ body }) => (Array.isArray(body.data) ? ids(body.data as never) : []));
    expect(told.toSorted()).toEqual(ids([...one, ...two]).toSorted());

    // A page that is switched off is not read any more; what was stored of it stays.
    const { next_cursor: cursor } = (await call(world, 'get_mentions', { account_id: account.id, limit: 2 })).body;
    await call(world, 'update_account_page', { account_id: account.id, page_id: 'p2', is_active: false });
    net.mentions.push(...of('p1', [13]), ...of('p2', [14]));
    const rest = await allOf(world, 'get_mentions', { account_id: account.id, cursor }, 50);
    expect(ids(rest).slice(-2)).toEqual(['p1-12', 'p1-13']);
  });

  it('shows the mentions of every page that can be read, names the others, and fails when all refuse', async () => {
    const { world, net, account } = await scene('linkedin');
    net.mentions.push(...['p1', 'p2'].map((page_id) => aMention({ platform_id: `of ${page_id}`, page_id })));
    const read = async () => {
      const { status, body } = await call(world, 'get_mentions', { account_id: account.id });
      return [status, body.data && ids(body.data), body.warnings, body.error?.code];
    };
    net.gone.add('p1');
    const warnings = [expect.stringMatching(/^The page Page One was left out: /)];
    expect(await read()).toEqual([200, ['of p2'], warnings, undefined]);
    net.gone.add('p2');
    expect(await read()).toEqual([404, undefined, undefined, 'platform.linkedin.not_found']);
    net.gone.clear();
    expect(await read()).toEqual([200, expect.arrayContaining(['of p1', 'of p2']), undefined, undefined]);
  });

  it('names a page that refuses on every page of the list, and reads on once it answers again', async () => {
    const { world, net, account } = await scene('linkedin');
    const of = (page_id: string, times: readonly number[]) =>
      times.map((at) => aMention({ platform_id: `${page_id}-${at}`, created_at: NOON - at, page_id }));
    net.mentions.push(...of('p1', [2, 6, 8]), ...of('p2', [1, 3, 4, 5, 7]));
    net.gone.add('p1');
    const page = async (cursor = {}) => {
      const { body } = await call(world, 'get_mentions', { account_id: account.id, limit: 2, ...cursor });
      return { ids: ids(body.data), warnings: body.warnings, next: { cursor: body.next_cursor as string } };
    };
    const warnings = [expect.stringMatching(/^The page Page One was left out: /)];
    const first = await page();
    expect(first).toMatchObject({ ids: ['p2-1', 'p2-3'], warnings });
    const second = await page(first.next);
    expect(second).toMatchObject({ ids: ['p2-4', 'p2-5'], warnings });
    net.gone.clear();
    const rest = await allOf(world, 'get_mentions', { account_id: account.id, ...second.next }, 2);
    expect(ids(rest)).toEqual(['p1-6', 'p2-7', 'p1-8']);
    // Where only a page that refuses is left, the list ends.
    net.gone.add('p1');
    let { next } = await page();
    for (let pages = 0; next.cursor !== ''; pages += 1) {
      expect(pages).toBeLessThan(8);
      ({ next } = await page(next));
    }
  });

  it('answers with the refusals of the platform and of the account', async () => {
    const { world, net, account, connect } = await scene();
    await expectRefusal(call(world, 'get_mentions', { account_id: 'acc_none' }), 'account.not_found');
    net.script('ours', 'mentions.list', silent);
    await expectRefusal(call(world, 'get_mentions', { account_id: account.id }), 'platform.twitter.api_error');
    await endSession(world, account.id);
    await expectRefusal(call(world, 'get_mentions', { account_id: account.id }), 'account.reconnection_required');
    const zalo = await connect('zalo', 'zalo');
    await expectLacking(call(world, 'get_mentions', { account_id: zalo.id }), 'mentions.list', 'zalo');
  });
});

describe('reply_to_mention', () => {
  const replyOn = (world: World, account_id: string) => (input: object) =>
    call(world, 'reply_to_mention', { account_id, text: 'Thanks', ...input });

  it('answers the post, or the comment, that mentions', async ({ played: { world, net, account, tell } }) => {
    const mention = aMention({ platform_id: 'm1', platform_post_id: 'elsewhere', comment_id: 'c7' });
    await tell(account, [{ kind: 'mention', mention }]);
    const { data } = (await call(world, 'get_mentions', { account_id: account.id })).body;
    const reply = replyOn(world, account.id);
    const { status, body } = await reply({ mention_id: data[0].id });
    expect([status, body]).toEqual([200, { success: true, comment_id: expect.stringMatching(/^cmt_/) }]);
    await reply({ mention_id: 'm1', text: 'Again' });
    await reply({ media_id: 'elsewhere', text: 'All' });
    await reply({ media_id: 'elsewhere', comment_id: data[0].metadata.comment_id, text: 'Here' });
    await reply({ media_id: 'elsewhere', mention_id: 'm1', comment_id: 'c8', text: 'There' });
    expect(net.seen.map(({ ask }) => ask)).toMatchObject([
      { post: 'elsewhere', comment: 'c7', text: 'Thanks' },
      { post: 'elsewhere', comment: 'c7', text: 'Again' },
      { post: 'elsewhere', comment: undefined, text: 'All' },
      { post: 'elsewhere', comment: 'c7', text: 'Here' },
      { post: 'elsewhere', comment: 'c8', text: 'There' },
    ]);
    // A post of others is none of the inbox.
    expect((await call(world, 'list_inbox_posts')).body.data).toEqual([]);
    expect((await call(world, 'get_usage')).body.interactions_used).toBe(5);
  });

  it('refuses what is not there and what cannot be said', async () => {
    const { world, net, account, connect, tell } = await scene();
    await tell(account, [{ kind: 'mention', mention: aMention({ platform_id: 'm1', platform_post_id: 'elsewhere' }) }]);
    const reply = replyOn(world, account.id);
    await expectRequired(reply({}), 'media_id');
    await expectRequired(reply({ text: ' ', media_id: 'a' }), 'text');
    await expectInvalid(reply({ text: 'x'.repeat(101), media_id: 'a' }), 'text');
    const other = { mention_id: 'm1', media_id: 'another' };
    await expectInvalid(reply(other), 'media_id');
    await expectRefusal(reply({ mention_id: 'm9' }), 'resource.not_found', { resource: 'mention', id: 'm9' });
    await expectRefusal(reply({ account_id: 'acc_none', media_id: 'a' }), 'account.not_found');
    net.script('ours', 'mentions.reply', noSuchThing, silent);
    await expectRefusal(reply({ media_id: 'gone' }), 'resource.not_found', { resource: 'mention', id: 'gone' });
    const threads = await connect('threads', 'threads');
    await expectLacking(reply({ account_id: threads.id, media_id: 'a' }), 'mentions.reply', 'threads');
    const pages = await connect('facebook', 'pages');
    for (const page_id of ['p1', 'p2'])
      await call(world, 'update_account_page', { account_id: pages.id, page_id, is_active: false });
    await expectRefusal(reply({ account_id: pages.id, media_id: 'a' }), 'account.no_active_page');
    await endSession(world, account.id);
    await expectRefusal(reply({ media_id: 'a' }), 'account.reconnection_required');
  });

  it('is metered', async ({ played: { world, account } }) => {
    await onFreePlan(world);
    await useInteractions(world, 50);
    const reply = call(world, 'reply_to_mention', { account_id: account.id, text: 'Hi', media_id: 'a' });
    await expectRefusal(reply, 'validation.interaction_limit_exhausted', { plan: 'free', max: 50 });
  });
});
