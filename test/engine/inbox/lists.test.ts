import { expect, test } from 'vitest';
import { authorityOver, type Authority } from '#kernel/authority.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import { aComment, aMention, aReview } from '../../harness/platforms/social.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { asError, makeWorld, type World } from '../../harness/worlds/sending.ts';

const NOON = Date.UTC(2026, 0, 14, 12);

type Listed = Readonly<{ data: readonly { platform_id: string }[]; next_cursor: string }>;

/** Every row of a list, read in pages. */
async function allOf(list: (page: { limit: number; cursor?: string }) => Promise<Listed>, limit: number) {
  const rows: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 20; page += 1) {
    const { data, next_cursor } = await list({ limit, ...(cursor !== undefined && { cursor }) });
    rows.push(...data.map(({ platform_id }) => platform_id));
    if (next_cursor === '') return rows;
    cursor = next_cursor;
  }
  throw new Error('the list does not end');
}

function message(thread: string, id: string, created_at: number): InboundEvent {
  const conversation = { platform_id: thread, participant: { id: `fan-${thread}`, name: 'Fan' } };
  const said = { platform_id: id, direction: 'incoming', text: id, attachments: [], created_at } as const;
  return { kind: 'message', conversation, message: said };
}

function post(platform_id: string, published_at: number, comment_count: number): InboundEvent {
  return { kind: 'post', post: { platform_id, text: platform_id, comment_count, like_count: 0, published_at } };
}

/** Two accounts of two brands, and what a key of either may see. */
async function scene(world: World) {
  const [one, two] = [await world.account('twitter', 'one'), await world.account('threads', 'two')];
  const limited = (account: { brand_id: string }): Authority =>
    authorityOver(world.workspace.id, { brands: [account.brand_id] });
  return { one, two, ofOne: limited(one), ofTwo: limited(two), all: world.authority };
}

describeStores('lists of the inbox', (stores) => {
  const it = test.extend('world', () => makeWorld(stores));

  it('hold conversations by their last message, and their messages, for whom they are', async ({ world }) => {
    const { one, two, ofOne, ofTwo, all } = await scene(world);
    await world.record(one, [message('a', 'm1', NOON), message('b', 'm2', NOON + 2), message('c', 'm3', NOON + 1)]);
    // The same instant: the id decides, on every store alike.
    await world.record(two, [message('d', 'm4', NOON + 2), message('a', 'm5', NOON - 1), message('a', 'm6', NOON - 1)]);
    const { conversations } = world.inbox;
    const list = (authority: Authority, filter = {}) => allOf((page) => conversations.list(authority, filter, page), 2);
    const order = await list(all);
    expect(order.toSorted()).toEqual(['a', 'a', 'b', 'c', 'd']);
    expect([order.slice(0, 2).toSorted(), order[2]]).toEqual([['b', 'd'], 'c']);
    expect(await list(ofOne)).toEqual(['b', 'c', 'a']);
    expect(await list(ofTwo)).toEqual(['d', 'a']);
    expect(await list(all, { account_id: two.id })).toEqual(['d', 'a']);
    expect(await list(all, { platform: 'twitter' })).toEqual(['b', 'c', 'a']);
    const { data } = await conversations.list(ofTwo, {}, { limit: 5 });
    const thread = data[1]!.id;
    expect(await allOf((page) => conversations.messages(ofTwo, thread, page), 1)).toEqual(['m6', 'm5']);
    const hidden = conversations.messages(ofOne, thread, { limit: 5 }).catch(asError);
    expect(await hidden).toMatchObject({ code: 'conversation.not_found' });
    const elsewhere = authorityOver('ws_other');
    expect(await list(elsewhere)).toEqual([]);
    // What lost its account is gone at once, whenever it is swept.
    await world.store.write(({ db }) => db.deleteFrom('accounts').where('id', '=', one.id).execute());
    expect(await list(all)).toEqual(['d', 'a']);
  });

  it('hold posts by their time and by their comments', async ({ world }) => {
    const { one, two, ofOne, all } = await scene(world);
    await world.record(one, [post('a', NOON, 3), post('b', NOON + 1, 0), post('c', NOON + 2, 3)]);
    await world.record(two, [post('d', NOON + 2, 1), post('a', NOON, 0)]);
    const list = (authority: Authority, filter = {}) =>
      allOf((page) => world.inbox.comments.posts(authority, filter, page), 2);
    expect(await list(ofOne)).toEqual(['c', 'b', 'a']);
    expect(await list(ofOne, { sort_order: 'asc' })).toEqual(['a', 'b', 'c']);
    const busy = await list(all, { sort_by: 'comments' });
    expect([busy.slice(0, 2).toSorted(), busy[2], busy.length]).toEqual([['a', 'c'], 'd', 5]);
    const rising = await list(all, { sort_by: 'comments', sort_order: 'asc', min_comments: 1 });
    expect(rising).toEqual(['d', ...busy.slice(0, 2).toReversed()]);
    expect(await list(all, { since: NOON + 1, account_id: one.id })).toEqual(['c']);
    const ambiguous = world.inbox.comments.list(all, { post_id: 'a' }, { limit: 5 }).catch(asError);
    expect(await ambiguous).toMatchObject({ code: 'validation.field_required', meta: { field: 'account_id' } });
    world.net.comments.set('a', [aComment('a', { platform_id: 'c1' })]);
    const own = await world.inbox.comments.list(ofOne, { post_id: 'a' }, { limit: 5 });
    expect(own.data).toMatchObject([{ platform_id: 'c1', account_id: one.id }]);
  });

  it('hold mentions, stored and live, and reviews of many accounts', async ({ world }) => {
    const { one, all } = await scene(world);
    const mentions = Array.from({ length: 6 }, (_, at) => aMention({ platform_id: `m${at}`, created_at: NOON - at }));
    world.net.mentions.push(...mentions.filter((_, at) => at < 4));
    const known = mentions.slice(3).map((mention) => ({ kind: 'mention', mention }) as const);
    await world.record(one, known, true);
    for (const limit of [1, 2, 5]) {
      const list = (page: { limit: number; cursor?: string }) =>
        world.inbox.mentions.list(all, one.id, undefined, page);
      expect(await allOf(list, limit)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm5']);
    }
    const told = (await world.events()).map(({ data }) => (data as { length?: number }).length);
    expect(told.reduce((sum: number, count) => sum + (count ?? 0), 0)).toBe(3);

    const places = [await world.account('google', 'g1'), await world.account('google', 'g2')];
    for (const [at, { username }] of places.entries()) {
      const some = [0, 1, 2].map((n) => aReview(NOON - n * 10 - at, { platform_id: `r${at}${n}` }));
      world.net.reviews.set(username, some);
    }
    const list = (page: { limit: number; cursor?: string }) => world.inbox.reviews.list(all, {}, page);
    expect(await allOf(list, 2)).toEqual(['r00', 'r10', 'r01', 'r11', 'r02', 'r12']);
    const stored = await world.store.db.selectFrom('reviews').select('platform_id').execute();
    expect(stored).toHaveLength(6);
  });
});
