import { MINUTE, HOUR, DAY } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { it as test, onceAFile, type World } from '../../harness/world.ts';
import { upset } from '../../harness/platforms/bluesky-people.ts';
import { store } from '../../harness/calls/rest.ts';
import { png } from '../../harness/media-samples.ts';
import { call, callMcp, expectInvalid, expectRefusal, forAssistants } from '../../harness/calls/operations.ts';
import { from, make, publish, reconnect } from '../../harness/worlds/post-stage.ts';

const it = test
  .extend('shelf', { scope: 'file' }, onceAFile(makeShelf))
  .extend('history', { scope: 'file' }, onceAFile(makeHistory));

const TEXTS = (posts: readonly { text: string }[]) => posts.map(({ text }) => text);

/** Made in this order, a minute apart: published, two scheduled against their order, and a draft. */
async function makeShelf(world: World) {
  const [alice, bob] = [await world.connect(0), await world.connect(1)];
  const later = (ms: number) => ({ scheduled_at: from(world, ms) });
  const posts: readonly [text: string, accounts: readonly { id: string }[], input: () => object][] = [
    ['Out', [alice], () => ({ publish_now: true })],
    ['Tomorrow', [bob], () => ({ ...later(DAY), title: 'Grüße' })],
    ['Today', [alice, bob], () => later(HOUR)],
    ['Draft', [], () => ({})],
  ];
  for (const [text, accounts, input] of posts) {
    await make(world, { text, account_ids: accounts.map(({ id }) => id), ...input() });
    world.clock.move(MINUTE);
  }
  return { world, alice, bob };
}

describe('list_posts', () => {
  const texts = async (world: World, input: object = {}) =>
    TEXTS((await call(world, 'list_posts', { ...input })).body.data);

  it.for<readonly [object, readonly string[]]>([
    [{}, ['Out', 'Draft', 'Today', 'Tomorrow']],
    [{ sort: 'scheduled_asc' }, ['Out', 'Draft', 'Today', 'Tomorrow']],
    [{ sort: 'scheduled_desc' }, ['Tomorrow', 'Today', 'Draft', 'Out']],
    [{ sort: 'created_asc' }, ['Out', 'Tomorrow', 'Today', 'Draft']],
    [{ sort: 'created_desc' }, ['Draft', 'Today', 'Tomorrow', 'Out']],
    [{ status: ['scheduled'] }, ['Today', 'Tomorrow']],
  ])('sorts and filters by %j, and pages in the same order', async ([asked, order], { shelf: { world } }) => {
    expect(await texts(world, asked)).toEqual(order);
    const paged: string[] = [];
    let cursor = '';
    do {
      const more: object = cursor === '' ? asked : { cursor };
      const { body } = await call(world, 'list_posts', { ...more, limit: 1 });
      paged.push(...TEXTS(body.data));
      cursor = body.next_cursor;
      expect(body.pagination).toEqual({ has_more: cursor !== '', next_cursor: cursor, limit: 1 });
    } while (cursor !== '');
    expect(paged).toEqual(order);
  });

  it('filters by state, account, brand and platform', async ({ shelf: { world, alice, bob } }) => {
    expect(await texts(world, { status: ['draft'] })).toEqual(['Draft']);
    expect(await texts(world, { status: ['draft', 'published'] })).toEqual(['Out', 'Draft']);
    expect(await texts(world, { status: ['partial', 'failed', 'publishing'] })).toEqual([]);
    expect(await texts(world, { account_ids: [alice.id] })).toEqual(['Out', 'Today']);
    expect(await texts(world, { account_ids: [alice.id, bob.id] })).toEqual(['Out', 'Today', 'Tomorrow']);
    expect(await texts(world, { account_id: bob.id })).toEqual(['Today', 'Tomorrow']);
    expect(await texts(world, { account_id: bob.id, sort: 'created_desc' })).toEqual(['Today', 'Tomorrow']);
    expect(await texts(world, { brand_id: bob.brand_id, status: ['scheduled'] })).toEqual(['Today', 'Tomorrow']);
    expect(await texts(world, { brand_id: world.brandId })).toEqual([]);
    expect(await texts(world, { platform: 'bluesky' })).toEqual(['Out', 'Today', 'Tomorrow']);
    expect(await texts(world, { platform: 'facebook' })).toEqual([]);
    expect(await texts(world, { page_id: 'page_none' })).toEqual([]);
  });

  it("filters by page, under our id of it and the platform's, also where the post named none", async ({ world }) => {
    const { id } = await facebookOf(world).connect();
    const pages = (await world.rest(`GET /v1/accounts/${id}/pages`)).body.data;
    const first = pages.find((page: { is_default: boolean }) => page.is_default);
    const other = pages.find((page: { id: string }) => page.id !== first.id);
    const post = await make(world, { text: 'Default', account_ids: [id], publish_now: true });
    expect(post.targets[0].page_id).toBe(first.id);
    await make(world, { text: 'Other', targets: [{ account_id: id, page_id: other.id }] });
    for (const page_id of [first.id, first.platform_page_id])
      expect(await texts(world, { page_id })).toEqual(['Default']);
    for (const page_id of [other.id, other.platform_page_id])
      expect(await texts(world, { page_id })).toEqual(['Other']);
  });

  it('filters by the time it sorts by, ends included', async ({ shelf: { world } }) => {
    const made = from(world, -4 * MINUTE);
    const today = from(world, HOUR - 2 * MINUTE);
    expect(await texts(world, { from: today })).toEqual(['Today', 'Tomorrow']);
    expect(await texts(world, { to: today })).toEqual(['Out', 'Draft', 'Today']);
    expect(await texts(world, { from: today, to: today })).toEqual(['Today']);
    expect(await texts(world, { sort: 'created_asc', from: made, to: made })).toEqual(['Out']);
    expect(await texts(world, { sort: 'created_asc', from: from(world, 0) })).toEqual([]);
    const whole = { from: '0000-01-01T00:00:00Z', to: '9999-12-31T23:59:59.999Z' };
    expect(await texts(world, whole)).toHaveLength(4);
  });

  it('searches texts and titles, whatever their case', async ({ shelf: { world } }) => {
    expect(await texts(world, { search: 'TO' })).toEqual(['Today', 'Tomorrow']);
    expect(await texts(world, { search: 'GRÜßE' })).toEqual(['Tomorrow']);
    for (const search of ['%', '_', '\\', "'"]) expect(await texts(world, { search })).toEqual([]);
  });

  it('filters by a file that a post or one of its accounts uses', async ({ world }) => {
    const account = await world.connect(0);
    const upload = async (name: string) => (await store(world, name, 'image/png', png())).media_id as string;
    const [used, own, other] = [await upload('a.png'), await upload('b.png'), await upload('c.png')];
    await make(world, { text: 'With it', media_ids: [used], account_ids: [account.id] });
    await make(world, { text: 'On one account', targets: [{ account_id: account.id, media_ids: [own] }] });
    const using = async (file: string) => TEXTS((await world.rest(`GET /v1/posts?media_id=${file}`)).body.data);
    expect(await Promise.all([used, own, other].map(using))).toEqual([['With it'], ['On one account'], []]);
  });

  it('leaves hidden posts out unless asked for them', async ({ shelf: { world } }) => {
    const [{ id: post_id }] = (await call(world, 'list_posts', { status: ['published'] })).body.data;
    expect((await call(world, 'update_post', { post_id, hidden: true })).body.hidden).toBe(true);
    expect(await texts(world)).toEqual(['Draft', 'Today', 'Tomorrow']);
    expect(await texts(world, { hidden: false, status: ['published'] })).toEqual([]);
    expect(await texts(world, { hidden: true })).toEqual(['Out', 'Draft', 'Today', 'Tomorrow']);
    await call(world, 'update_post', { post_id, hidden: false });
    expect(await texts(world)).toHaveLength(4);
  });

  it('has 25 posts on a page unless told otherwise, and 100 at most', async ({ world }) => {
    for (let n = 0; n < 26; n += 1) await make(world, { text: `Post ${n}` });
    const { body } = await call(world, 'list_posts');
    expect([body.data.length, body.pagination.limit, body.pagination.has_more]).toEqual([25, 25, true]);
    const rest = (await call(world, 'list_posts', { cursor: body.next_cursor })).body;
    expect([rest.data.length, rest.next_cursor]).toEqual([1, '']);
    const whole = (await call(world, 'list_posts', { limit: 1000 })).body;
    expect([whole.data.length, whole.pagination.limit]).toEqual([26, 100]);
    for (const limit of [100.5, 2 ** 53, 1e20, 1e300])
      expect([limit, (await call(world, 'list_posts', { limit })).body.pagination?.limit]).toEqual([limit, 100]);
  });

  it.for([
    [{ status: ['cancelled'] }, 'status.0'],
    [{ sort: 'text' }, 'sort'],
    [{ platform: 'myspace' }, 'platform'],
    [{ from: '2026-01-15' }, 'from'],
    [{ from: '0000-01-01T00:00:00+00:01' }, 'from'],
    [{ from: '9999-12-31T23:59:59.999-00:01' }, 'from'],
    [{ to: '2026-01-15T09:00:00+2' }, 'to'],
    [{ limit: 0 }, 'limit'],
    [{ limit: -1 }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ limit: 'many' }, 'limit'],
    [{ hidden: 'perhaps' }, 'hidden'],
    [{ cursor: '!' }, 'cursor'],
    [{ cursor: 'bm9wZQ' }, 'cursor'],
  ] as const)('refuses %j', async ([input, field], { shared: world }) => {
    await expectInvalid(call(world, 'list_posts', input), field);
  });

  it.for([
    ['list_posts', { account_ids: ['acc_no'] }, 'account.not_found', 'acc_no'],
    ['list_posts', { brand_id: 'brd_no' }, 'brand.not_found', 'brd_no'],
    ['list_post_logs', { account_id: 'acc_none' }, 'account.not_found', 'acc_none'],
  ] as const)('as %s with %j knows nothing that is not there', async ([name, input, code, id], { shared: world }) => {
    await expectRefusal(call(world, name, input), code, { id });
  });

  it('refuses cursors of other filters, sorts and lists', async ({ shelf: { world } }) => {
    const { next_cursor: cursor } = (await call(world, 'list_posts', { limit: 1, sort: 'created_asc' })).body;
    for (const input of [
      { cursor, sort: 'created_desc' },
      { cursor, status: ['draft'] },
    ])
      await expectInvalid(call(world, 'list_posts', input), 'cursor');
    await expectInvalid(call(world, 'list_post_logs', { cursor }), 'cursor');
    expect((await call(world, 'list_posts', { cursor, limit: 2, sort: 'created_asc' })).body.data).toHaveLength(2);
  });
});

it('list_posts takes an empty list for no filter, as an empty value of a query', async ({ shelf: { world } }) => {
  const { body } = await world.rest('GET /v1/posts?account_ids=&status=');
  expect(TEXTS(body.data)).toHaveLength(4);
  const empty = { account_ids: [], status: [], detail: 'full' };
  expect((await callMcp(world, 'list_posts', empty)).body).toEqual(forAssistants('list_posts', body));
});

it('list_posts reads lists of a query with commas and repeated', async ({ shelf: { world, alice, bob } }) => {
  for (const query of [
    `account_ids=${alice.id},${bob.id}&status=published,scheduled`,
    `account_ids=${alice.id}&account_ids=${bob.id}&status=published&status=scheduled`,
    `account_ids=${alice.id},${bob.id}&status=published,scheduled&search=&brand_id=&cursor=&unknown=1&hidden=0`,
  ]) {
    const { status, body } = await world.rest(`GET /v1/posts?${query}`);
    expect([query, status, TEXTS(body.data)]).toEqual([query, 200, ['Out', 'Today', 'Tomorrow']]);
  }
});

/** One entry of every action and outcome the doors can bring about, oldest first. */
async function makeHistory(world: World) {
  const [alice, bob] = [await world.connect(0), await world.connect(1)];
  const step = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work;
    await world.settle();
    world.clock.move(MINUTE);
    return done;
  };
  const out = await step(publish(world, alice, 'Out'));
  upset(world, 'revoked', {}, 1);
  const failed = await step(publish(world, bob, 'Failed'));
  await reconnect(world, bob, 1);
  await step(world.rest(`POST /v1/posts/${failed.id}/retry`));
  await step(world.rest(`POST /v1/posts/${out.id}/unpublish`));
  const scheduled = { account_ids: [alice.id], scheduled_at: from(world, HOUR) };
  const cancelled = await make(world, { text: 'Cancelled', ...scheduled });
  await step(world.rest(`PATCH /v1/posts/${cancelled.id}`, { scheduled_at: null }));
  const late = await make(world, { text: 'Late', ...scheduled });
  await world.pass(7 * HOUR + MINUTE);
  return { world, alice, bob, out, failed, cancelled, late };
}

const SAID = (entries: readonly { action: string; status: string }[]) =>
  entries.map(({ action, status }) => `${action}/${status}`);

describe('list_post_logs', () => {
  const list = async (world: World, input: object = {}) =>
    (await call(world, 'list_post_logs', { ...input })).body.data;

  it('lists every action and outcome, newest first', async ({
    history: { world, alice, bob, out, failed, cancelled, late },
  }) => {
    const entries = await list(world);
    expect(SAID(entries)).toEqual([
      'publish/skipped',
      'cancel/success',
      'unpublish/success',
      'retry/success',
      'publish/failed',
      'publish/success',
    ]);
    expect(entries.map(({ post_id }: { post_id: string }) => post_id)).toEqual(
      [late, cancelled, out, failed, failed, out].map(({ id }) => id),
    );
    expect(entries.at(-1)).toEqual({
      id: expect.stringMatching(/^plog_/),
      account_id: alice.id,
      brand_id: alice.brand_id,
      post_id: out.id,
      platform: 'bluesky',
      action: 'publish',
      status: 'success',
      attempt: 1,
      created_at: '2026-01-15T09:00:00.000Z',
      duration_ms: expect.any(Number),
      status_code: 200,
      error_message: null,
    });
    expect(entries.at(-2)).toMatchObject({ account_id: bob.id, attempt: 1, error_message: expect.stringMatching(/./) });
    expect(entries.at(-3)).toMatchObject({ account_id: bob.id, attempt: 2, error_message: null });
    expect(entries.at(-4)).toMatchObject({ attempt: 1, status_code: 200 });
  });

  it('filters by outcome, action, platform, post and account, and pages', async ({
    history: { world, alice, bob, failed },
  }) => {
    expect(SAID(await list(world, { status: 'failed' }))).toEqual(['publish/failed']);
    expect(SAID(await list(world, { status: 'skipped' }))).toEqual(['publish/skipped']);
    for (const action of ['retry', 'cancel', 'unpublish'])
      expect(SAID(await list(world, { action, days: 1, platform: 'bluesky' }))).toEqual([`${action}/success`]);
    expect(SAID(await list(world, { action: 'publish', status: 'success' }))).toEqual(['publish/success']);
    expect(await list(world, { platform: 'facebook' })).toEqual([]);
    expect(await list(world, { platform: 'bluesky', account_id: alice.id })).toHaveLength(4);
    expect(SAID(await list(world, { account_id: bob.id }))).toEqual(['retry/success', 'publish/failed']);
    for (const whose of [{}, { account_id: bob.id }])
      expect(SAID(await list(world, { post_id: failed.id, ...whose }))).toEqual(['retry/success', 'publish/failed']);

    const first = (await call(world, 'list_post_logs', { status: 'success', limit: 3 })).body;
    expect(SAID(first.data)).toEqual(['cancel/success', 'unpublish/success', 'retry/success']);
    expect(first.pagination).toEqual({ has_more: true, next_cursor: first.next_cursor, limit: 3 });
    const last = (await call(world, 'list_post_logs', { cursor: first.next_cursor, limit: 3 })).body;
    expect([SAID(last.data), last.next_cursor]).toEqual([['publish/success'], '']);
    await expectInvalid(call(world, 'list_post_logs', { cursor: first.next_cursor, status: 'failed' }), 'cursor');
  });

  it('goes back as many days as asked, to the millisecond, and outlives the post', async ({ world, account }) => {
    const { id } = await publish(world, account, 'a');
    await world.rest(`DELETE /v1/posts/${id}`);
    await world.settle();
    expect(SAID(await list(world, { post_id: id }))).toEqual(['unpublish/success', 'publish/success']);
    world.clock.move(DAY);
    expect(await list(world, { days: 1 })).toHaveLength(2);
    world.clock.move(1);
    expect(await list(world, { days: 1 })).toEqual([]);
    expect(await list(world, { days: 2 })).toHaveLength(2);
    world.clock.move(6 * DAY - 1);
    expect(await list(world)).toHaveLength(2);
    world.clock.move(1);
    for (const input of [{}, { days: 7 }]) expect(await list(world, input)).toEqual([]);
  });

  it.for([
    [{ status: 'lost' }, 'status'],
    [{ action: 'delete' }, 'action'],
    [{ platform: 'myspace' }, 'platform'],
    [{ days: 0 }, 'days'],
    [{ days: 1.5 }, 'days'],
    [{ days: 8 }, 'days'],
    [{ limit: 0 }, 'limit'],
  ] as const)('refuses %j', async ([input, field], { shared: world }) => {
    await expectInvalid(call(world, 'list_post_logs', input), field);
  });

  it('has 50 entries on a page unless told otherwise, and 100 at most', async ({ world }) => {
    const page = async (input: object) => (await call(world, 'list_post_logs', { ...input })).body.pagination;
    expect(await page({})).toEqual({ has_more: false, next_cursor: '', limit: 50 });
    expect(await page({ limit: 200 })).toEqual({ has_more: false, next_cursor: '', limit: 100 });
  });
});

it.for(['list_posts', 'list_post_logs', 'get_constraints'] as const)(
  '%s answers the same through both doors',
  async (name, { history: { world } }) => {
    const { status, body } = await call(world, name);
    expect([status, JSON.stringify(body).length > 500]).toEqual([200, true]);
  },
);
