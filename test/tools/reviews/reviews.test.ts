import { describe, expect, test } from 'vitest';
import { aReview, lost, silent, throttled } from '../../harness/platforms/social.ts';
import { call, expectInvalid, expectRefusal, expectRequired, onFreePlan } from '../../harness/calls/operations.ts';
import { endSession } from '../../harness/worlds/account.ts';
import { allOf, expectLacking, makeStage } from '../../harness/worlds/social.ts';

const it = test.extend('played', () => scene());

const NOON = Date.UTC(2026, 0, 14, 12);
const ids = (rows: readonly { platform_id: string }[]) => rows.map(({ platform_id }) => platform_id);
const calm = { accounts_failed: 0, failed_accounts: [] };

/** Three places with reviews whose times interlace. */
async function scene() {
  const stage = await makeStage();
  const accounts = [
    await stage.connect('google', 'one'),
    await stage.connect('google', 'two'),
    await stage.connect('google', 'three'),
  ] as const;
  const reviewsOf = (place: number, count: number) =>
    Array.from({ length: count }, (_, at) => aReview(NOON - at * 10 - place, { platform_id: `r${place}-${at}` }));
  stage.net.reviews.set('one', reviewsOf(1, 5));
  stage.net.reviews.set('two', reviewsOf(2, 3));
  stage.net.reviews.set('three', reviewsOf(3, 1));
  const order = [...stage.net.reviews.values()].flat().toSorted((a, b) => b.created_at - a.created_at);
  return { ...stage, accounts, order: ids(order) };
}

describe('get_reviews', () => {
  it('merges the reviews of all accounts, newest first, page by page', async () => {
    const { world, net, accounts, order, connect } = await scene();
    await connect('twitter', 'other');
    const receiver = await world.receive(['review.received']);
    for (const limit of [1, 2, 3, 4, 50]) {
      const rows = await allOf(world, 'get_reviews', { platform: 'google' }, limit);
      expect([limit, ids(rows)]).toEqual([limit, order]);
    }
    const { body } = await call(world, 'get_reviews');
    expect(body.meta).toEqual({ accounts_queried: 3, ...calm });
    expect(body.data[0]).toMatchObject({
      id: expect.stringMatching(/^rev_/),
      type: 'review',
      account_id: accounts[0].id,
      platform: 'google',
      rating: 4,
      author: { id: 'guest', name: 'Guest', username: null, avatar_url: null },
      author_name: 'Guest',
      reply: null,
      answered: false,
      created_at: new Date(NOON - 1).toISOString(),
    });
    await world.settle();
    expect(receiver.received).toEqual([]);
    net.calls.length = 0;
    await allOf(world, 'get_reviews', {}, 5);
    // Who has told all is not asked again.
    expect(net.calls.filter((made) => made.startsWith('three'))).toHaveLength(1);
  });

  it('asks a few accounts at a time, however many there are', async () => {
    const { world, net, connect } = await makeStage();
    const names = Array.from({ length: 12 }, (_, at) => `place ${at}`);
    for (const name of names) await connect('google', name);
    const act = net.act.bind(net);
    let running = 0;
    let most = 0;
    net.act = async (...asked) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      return act(...asked).finally(() => (running -= 1));
    };
    const { body } = await call(world, 'get_reviews');
    expect([body.meta.accounts_queried, most]).toEqual([12, 8]);
  });

  it('shows pictures, which the event has too', async () => {
    const stage = await makeStage();
    const account = await stage.connect('google', 'one');
    const media = [{ type: 'image', url: 'https://photos.example/1' }];
    const review = aReview(stage.world.clock.now(), { platform_id: 'r1', media });
    stage.net.reviews.set('one', [review]);
    const receiver = await stage.world.receive(['review.received']);
    await stage.tell(account, [{ kind: 'review', review: { ...review, platform_id: 'r0' }, edited: true }]);
    await stage.tell(account, [{ kind: 'review', review }]);
    await stage.world.settle();
    expect(receiver.received.map(({ body }) => body.data['content'])).toEqual([{ text: review.text, media }]);
    const { body } = await call(stage.world, 'get_reviews');
    expect(body.data[0].content).toEqual({ text: review.text, media });
  });

  it('shows assistants the beginning of each text, and everything on request', async () => {
    const { world, net, connect } = await makeStage();
    await connect('google', 'one');
    const text = 'Bread and "more"! '.repeat(200);
    const reviews = Array.from({ length: 50 }, (_, at) => aReview(NOON - at, { platform_id: `r${at}`, text }));
    net.reviews.set('one', reviews);
    const { body } = await world.mcp('get_reviews');
    expect(JSON.stringify(body).length).toBeLessThan(40_000);
    expect(body.data).toHaveLength(50);
    expect(Object.keys(body.data[0])).toEqual([
      'id',
      'account_id',
      'rating',
      'author_name',
      'text',
      'answered',
      'created_at',
    ]);
    expect(body.data[0].text).toMatch(/^Bread and "more"! .*…$/);
    const full = (await world.mcp('get_reviews', { detail: 'full', limit: 1 })).body;
    expect(full.data[0].content.text).toBe(text);
  });

  it('filters by account, brand and time', async ({ played: { world, accounts, connect } }) => {
    const list = async (input: object, limit = 2) => ids(await allOf(world, 'get_reviews', input, limit));
    expect(await list({ account_id: accounts[1].id })).toEqual(['r2-0', 'r2-1', 'r2-2']);
    expect(await list({ brand_id: accounts[2].brand_id })).toEqual(['r3-0']);
    expect(await list({ account_id: accounts[1].id, brand_id: accounts[2].brand_id })).toEqual([]);
    expect(await list({ since: new Date(NOON - 12).toISOString() })).toEqual(['r1-0', 'r2-0', 'r3-0', 'r1-1']);
    await expectInvalid(call(world, 'get_reviews', { platform: 'facebook' }), 'platform');
    await expectRefusal(call(world, 'get_reviews', { account_id: 'acc_none' }), 'account.not_found');
    await expectRefusal(call(world, 'get_reviews', { brand_id: 'brd_none' }), 'brand.not_found');
    const twitter = await connect('twitter', 'other');
    await expectLacking(call(world, 'get_reviews', { account_id: twitter.id }), 'reviews.list', 'twitter');
    const { next_cursor: cursor } = (await call(world, 'get_reviews', { limit: 1 })).body;
    await expectInvalid(call(world, 'get_reviews', { account_id: accounts[0].id, cursor }), 'cursor');
    const limited = await world.newKey({ brand_ids: [accounts[2].brand_id] });
    const own = (await call(world, 'get_reviews', {}, { key: limited })).body;
    expect([ids(own.data), own.meta.accounts_queried]).toEqual([['r3-0'], 1]);
  });

  it('names accounts that fail, and asks them again with the next page', async () => {
    const { world, net, accounts, order } = await scene();
    net.script('two', 'reviews.list', throttled);
    const first = (await call(world, 'get_reviews', { limit: 3 })).body;
    expect(first.meta).toEqual({
      accounts_queried: 3,
      accounts_failed: 1,
      failed_accounts: [
        {
          account_id: accounts[1].id,
          platform: 'google',
          code: 'platform.google.rate_limit',
          error: 'Slow down. Try again in 7 s.',
        },
      ],
    });
    const rest = await allOf(world, 'get_reviews', { cursor: first.next_cursor }, 3);
    const paged = (await call(world, 'get_reviews', { cursor: first.next_cursor })).body;
    expect(paged.meta).toMatchObject(calm);
    expect(rest.length).toBeGreaterThan(0);
    const all = [...ids(first.data), ...ids(paged.data)];
    expect(all.toSorted()).toEqual(order.toSorted());
    await world.product.store.write(({ db }) =>
      db.updateTable('accounts').set({ status: 'reconnect_required' }).where('platform', '=', 'google').execute(),
    );
    const dead = (await call(world, 'get_reviews')).body;
    expect([dead.data, dead.next_cursor, dead.meta.accounts_failed]).toEqual([[], '', 3]);
    expect(dead.meta.failed_accounts[0].code).toBe('account.reconnection_required');
  });

  it('goes on behind the last review reported, though newer ones came', async ({
    played: { world, net, accounts },
  }) => {
    const input = { account_id: accounts[0].id };
    const first = (await call(world, 'get_reviews', { ...input, limit: 2 })).body;
    net.reviews.set('one', [aReview(NOON + 5, { platform_id: 'newest' }), ...net.reviews.get('one')!]);
    const { data } = (await call(world, 'get_reviews', { cursor: first.next_cursor, limit: 50 })).body;
    expect(ids([...first.data, ...data])).toEqual(['r1-0', 'r1-1', 'r1-2', 'r1-3', 'r1-4']);
    const gone = net.reviews.get('one')!.filter(({ platform_id }) => platform_id !== 'r1-1');
    net.reviews.set('one', gone);
    const again = (await call(world, 'get_reviews', { cursor: first.next_cursor, limit: 50 })).body;
    expect(ids(again.data)).toEqual(['r1-2', 'r1-3', 'r1-4']);
  });
});

describe('answers to reviews', () => {
  it('reply_to_review, update_review_reply and delete_review_reply, by any id', async () => {
    const { world, net, accounts } = await scene();
    const list = async () => (await call(world, 'get_reviews', { account_id: accounts[0].id })).body.data[0];
    const review = await list();
    const review_id = review.id as string;
    const used = async () => (await call(world, 'get_usage')).body.interactions_used as number;
    const { status, body } = await call(world, 'reply_to_review', { review_id, text: 'Thanks' });
    expect([status, body]).toEqual([200, { success: true, reply_id: 'answer to r1-0' }]);
    expect((await list()).reply).toMatchObject({ text: 'Thanks', updated_at: expect.any(String) });
    expect(await used()).toBe(1);
    await call(world, 'reply_to_review', { review_id: 'r1-0', text: 'Many thanks', account_id: accounts[0].id });
    expect([(await list()).reply.text, await used()]).toEqual(['Many thanks', 2]);
    const change = { review_id, text: 'All the best' };
    expect((await call(world, 'update_review_reply', change)).body).toEqual({
      success: true,
      reply_id: 'answer to r1-0',
    });
    expect([(await list()).reply.text, await used()]).toEqual(['All the best', 2]);
    const removed = await call(world, 'delete_review_reply', { review_id });
    expect([removed.status, removed.body]).toEqual([200, { success: true, ok: true, id: review_id }]);
    expect([(await list()).reply, net.callsOf('reviews.remove_reply')]).toEqual([null, 1]);
    for (const name of ['delete_review_reply', 'update_review_reply']) {
      const none = call(world, name, { review_id, ...(name.startsWith('update') && { text: 'a' }) });
      await expectRefusal(none, 'resource.not_found', { resource: 'reply', id: review_id });
    }
  });

  it('say that the platform has to look at them first', async ({ played: { world } }) => {
    await call(world, 'get_reviews');
    const { body } = await call(world, 'reply_to_review', { review_id: 'r1-0', text: 'Wait' });
    expect(body).toEqual({ success: true, reply_id: 'answer to r1-0', state: 'PENDING' });
    const [shown] = (await call(world, 'get_reviews')).body.data;
    expect(shown.reply).toMatchObject({ text: 'Wait', state: 'PENDING' });
    const rows = await world.product.store.db.selectFrom('reviews').selectAll().execute();
    expect(rows.find(({ platform_id }) => platform_id === 'r1-0')).toMatchObject({ reply_state: 'PENDING' });
  });

  it('know whose the review is', async ({ played: { world, net, accounts } }) => {
    const reply = (input: object) => call(world, 'reply_to_review', { text: 'Thanks', ...input });
    await expectRefusal(reply({ review_id: 'r1-0' }), 'resource.not_found', { resource: 'review', id: 'r1-0' });
    const { data } = (await call(world, 'get_reviews')).body;
    const [{ id }] = data;
    await expectInvalid(reply({ review_id: id, account_id: accounts[1].id }), 'account_id');
    await expectRefusal(reply({ review_id: id, account_id: 'acc_none' }), 'account.not_found');
    const both = aReview(NOON, { platform_id: 'shared' });
    for (const place of ['one', 'two']) net.reviews.set(place, [both]);
    const shared = (await call(world, 'get_reviews')).body.data[0].id;
    await expectRequired(reply({ review_id: shared }), 'account_id');
    expect((await reply({ review_id: shared, account_id: accounts[1].id })).ok).toBe(true);
    // Never listed here: its id tells the platform, and one account of it would be enough.
    const unseen = `rev_${Buffer.from('google:unseen').toString('base64url')}`;
    await expectRequired(reply({ review_id: unseen }), 'account_id');
    for (const { id: account } of accounts.slice(1)) await world.rest(`DELETE /v1/accounts/${account}`);
    await expectRefusal(reply({ review_id: unseen }), 'resource.not_found', { resource: 'review', id: unseen });
    expect(net.callsOf('reviews.reply')).toBe(2);
    const foreign = `rev_${Buffer.from('twitter:r1-0').toString('base64url')}`;
    await expectRefusal(reply({ review_id: foreign }), 'resource.not_found', { resource: 'review' });
    const limited = await world.newKey({ brand_ids: [world.brandId] });
    const hidden = call(world, 'reply_to_review', { review_id: id, text: 'a' }, { key: limited });
    await expectRefusal(hidden, 'resource.not_found');
  });

  it('refuse what cannot be said, and hand on what the platform refuses', async () => {
    const { world, net, accounts, connect } = await scene();
    const { data } = (await call(world, 'get_reviews', { account_id: accounts[0].id })).body;
    const [{ id: review_id }] = data;
    const reply = (text: string) => call(world, 'reply_to_review', { review_id, text });
    await expectRequired(reply(' '), 'text');
    // The limit counts bytes here.
    await expectInvalid(reply('é'.repeat(21)), 'text');
    net.script('one', 'reviews.reply', throttled, lost);
    await expectRefusal(reply('a'), 'platform.google.rate_limit');
    expect((await reply('a')).ok).toBe(true);
    expect([net.callsOf('reviews.reply'), (await call(world, 'get_usage')).body.interactions_used]).toEqual([3, 1]);
    net.script('one', 'reviews.remove_reply', silent);
    await expectRefusal(call(world, 'delete_review_reply', { review_id }), 'platform.google.api_error');
    const twitter = await connect('twitter', 'other');
    const lacking = { review_id: 'r', account_id: twitter.id };
    await expectLacking(call(world, 'reply_to_review', { ...lacking, text: 'a' }), 'reviews.reply', 'twitter');
    await expectLacking(call(world, 'delete_review_reply', lacking), 'reviews.remove_reply', 'twitter');
    await endSession(world, accounts[0].id);
    for (const name of ['reply_to_review', 'update_review_reply', 'delete_review_reply']) {
      const dead = call(world, name, { review_id, ...(!name.startsWith('delete') && { text: 'b' }) });
      await expectRefusal(dead, 'account.reconnection_required');
    }
  });

  it('meter new answers alone', async ({ played: { world, accounts } }) => {
    const { data } = (await call(world, 'get_reviews', { account_id: accounts[0].id })).body;
    const [{ id: review_id }] = data;
    await call(world, 'reply_to_review', { review_id, text: 'a' });
    await onFreePlan(world);
    await world.product.store.write(({ db }) => db.updateTable('usage').set({ interactions: 50 }).execute());
    const reply = call(world, 'reply_to_review', { review_id, text: 'b' });
    await expectRefusal(reply, 'validation.interaction_limit_exhausted', { plan: 'free', max: 50 });
    expect((await call(world, 'update_review_reply', { review_id, text: 'b' })).ok).toBe(true);
    expect((await call(world, 'delete_review_reply', { review_id })).ok).toBe(true);
  });
});
