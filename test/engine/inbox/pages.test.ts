import { DAY, MINUTE } from '#kernel/clock.ts';
import { expect, it, test } from 'vitest';
import { describeStores } from '../../harness/stores/stores.ts';
import { authorityOver } from '#kernel/authority.ts';
import type { AccountRow } from '#db/access/accounts.ts';
import type { PageProfile } from '#platforms/connect.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { ListedPost } from '#platforms/posts.ts';
import { inboxWith, makeInboxWorld, type InboxWorld } from '../../harness/worlds/inbound.ts';
import { DAWN } from '../../harness/platforms/inbound.ts';

const page = (id: string, more: Partial<PageProfile> = {}): PageProfile => ({
  platform_page_id: id,
  name: `Page ${id}`,
  ...more,
});

async function connected(stores: Parameters<typeof makeInboxWorld>[0], pages: readonly PageProfile[]) {
  const { world, account } = await inboxWith(stores, { pages });
  await world.connect(account);
  await world.settle();
  return { world, account, telling: world.telling() };
}

const brief = async (world: InboxWorld, account: AccountRow) =>
  (await world.pages.list(world.authority, account.id)).map(({ platform_page_id, is_default, is_active }) =>
    [platform_page_id, ...(is_default ? ['default'] : []), ...(is_active ? [] : ['off'])].join(' '),
  );

describeStores('pages', (stores) => {
  it('are found when an account is connected, the first of them being the default', async () => {
    const cafe = page('a', { category: 'Cafe', followers_count: 7 });
    const { world, account, telling } = await connected(stores, [cafe, page('b')]);
    expect(await world.pages.list(world.authority, account.id)).toEqual([
      {
        id: expect.stringMatching(/^page_/),
        account_id: account.id,
        platform_page_id: 'a',
        platform_id: 'a',
        name: 'Page a',
        is_default: true,
        is_active: true,
        username: null,
        category: 'Cafe',
        about: null,
        link: null,
        profile_picture_url: null,
        cover_photo_url: null,
        followers_count: 7,
        verification_status: null,
        enriched_at: '2026-01-15T09:00:00.000Z',
      },
      expect.objectContaining({ platform_page_id: 'b', is_default: false }),
    ]);
    expect(telling.subscribed).toEqual(['a', 'b']);
    const { session } = await world.store.db.selectFrom('accounts').select('session').executeTakeFirstOrThrow();
    expect(JSON.parse(session)).toEqual({ who: 'user-1', pages: ['a', 'b'] });
  });

  it('are looked after once a day: names, new ones, lost ones, and ones that are back', async () => {
    const { world, account, telling } = await connected(stores, [page('a'), page('b'), page('c')]);
    await world.pages.update(world.authority, account.id, 'c', { is_active: false });
    telling.pages = [page('b', { name: 'Renamed' }), page('d')];
    await world.pass(1.2 * DAY);
    expect(await brief(world, account)).toEqual(['a off', 'b default', 'c off', 'd']);
    expect((await world.pages.list(world.authority, account.id))[1]!.name).toBe('Renamed');
    const lost = (await world.rows('pages')).find(({ platform_page_id }) => platform_page_id === 'a');
    const owner = { account_id: account.id, brand_id: account.brand_id, platform: 'facebook' };
    const removed = { page_id: lost.id, platform_page_id: 'a', name: 'Page a', reason: 'page_not_found' };
    expect(await world.events()).toEqual([{ event: 'page.removed', data: { ...owner, ...removed } }]);
    telling.pages = [page('a'), page('b'), page('c'), page('d')];
    await world.pass(1.2 * DAY);
    // What vanished is back; what a person switched off is still off.
    expect(await brief(world, account)).toEqual(['a', 'b default', 'c off', 'd']);
    expect((await world.events()).length).toBe(1);
  });

  it('that are all gone take the account along', async () => {
    const { world, account, telling } = await connected(stores, [page('a')]);
    telling.pages = [];
    await world.pass(1.2 * DAY);
    const reasons = (await world.events()).map(({ event, data }) => `${event}: ${data.reason}`);
    expect(reasons).toEqual(['page.removed: page_not_found', 'account.disconnected: all_pages_removed']);
    const { status } = await world.store.db.selectFrom('accounts').select('status').executeTakeFirstOrThrow();
    expect(status).toBe('reconnect_required');
    const listing = world.pages.list(world.authority, account.id);
    await expect(listing).rejects.toMatchObject({ code: 'account.reconnection_required' });
    await world.pass(1.2 * DAY);
    expect((await world.events()).length).toBe(2);
  });

  it('are chosen by their id or the one of the platform', async () => {
    const { world, account } = await connected(stores, [page('a'), page('b'), page('c')]);
    const update = (named: string, change: object) => world.pages.update(world.authority, account.id, named, change);
    const [, b] = await world.pages.list(world.authority, account.id);
    expect(await update(b!.id, { is_default: true })).toMatchObject({ platform_page_id: 'b', is_default: true });
    expect(await brief(world, account)).toEqual(['a', 'b default', 'c']);
    await update('b', { is_active: false });
    expect(await brief(world, account)).toEqual(['a default', 'b off', 'c']);
    await expect(update('b', { is_default: true })).rejects.toMatchObject({ code: 'resource.conflict' });
    await update('b', { is_default: true, is_active: true });
    expect(await brief(world, account)).toEqual(['a', 'b default', 'c']);
    await expect(update('z', { is_active: true })).rejects.toMatchObject({ code: 'resource.not_found' });
    await expect(update('b', {})).rejects.toMatchObject({ code: 'validation.field_required' });
    await expect(update('b', { is_default: false })).rejects.toMatchObject({ code: 'validation.field_invalid' });
    for (const one of ['a', 'b', 'c']) await update(one, { is_active: false });
    expect(await brief(world, account)).toEqual(['a off', 'b off', 'c off']);
    await update('c', { is_active: true });
    expect(await brief(world, account)).toEqual(['a off', 'b off', 'c default']);
  });

  it('that vanished are not switched on by hand', async () => {
    const { world, account, telling } = await connected(stores, [page('a'), page('b')]);
    telling.pages = [page('a')];
    await world.pass(1.2 * DAY);
    const update = world.pages.update(world.authority, account.id, 'b', { is_active: true });
    await expect(update).rejects.toMatchObject({ code: 'resource.conflict' });
  });

  it('are read again when the session was renewed meanwhile', async () => {
    const { world, account, telling } = await connected(stores, [page('a')]);
    const renew = (renewed: object) => {
      const session = JSON.stringify(renewed);
      return world.store.write(({ db }) => db.updateTable('accounts').set({ session }).execute());
    };
    telling.pages = [page('a'), page('b')];
    telling.meanwhile = () => {
      telling.meanwhile = undefined;
      return renew({ who: 'user-1', renewed: true });
    };
    await world.pass(1.2 * DAY);
    expect(await brief(world, account)).toEqual(['a default', 'b']);
    expect(telling.sessions.at(-1)).toEqual({ who: 'user-1', renewed: true, pages: ['a', 'b'] });
    // One that changes all the time is left alone for a while.
    let n = 0;
    telling.pages = [page('a')];
    telling.meanwhile = () => renew({ who: 'user-1', n: (n += 1) });
    await world.pass(1.2 * DAY);
    expect([n, await brief(world, account)]).toEqual([3, ['a default', 'b']]);
    telling.meanwhile = undefined;
    await world.pass(30 * MINUTE);
    expect(await brief(world, account)).toEqual(['a default', 'b off']);
  });

  it('are subscribed again when one of them refuses at first', async () => {
    const { world, account } = await inboxWith(stores, { pages: [page('a')] });
    let fails = 2;
    world.telling().subscribe = () => {
      fails -= 1;
      if (fails >= 0) throw new PlatformError('unknown', 'api_error', 'No answer.');
    };
    await world.connect(account);
    for (let time = 0; time < 6; time += 1) await world.pass(5 * MINUTE);
    expect(world.telling().subscribed).toEqual(['a']);
  });
});

const post = (id: string, more: Partial<ListedPost> = {}): ListedPost => ({
  platform_post_id: id,
  text: `Post ${id}`,
  created_at: DAWN,
  media: [{ type: 'image', url: `https://told.test/${id}.png` }],
  metrics: { likes: 3, comments: 2, shares: 1, saves: 0 },
  permalink: `https://told.test/${id}`,
  ...more,
});

describeStores('a sync', (stores) => {
  const it = test
    .extend('world', () => makeInboxWorld(stores, { facebook: { posts: [post('p1')] } }))
    .extend('account', ({ world }) => world.account());

  const sync = (world: InboxWorld, account: AccountRow, progress = () => {}) =>
    world.sync(world.authority, account.id, progress);

  it('brings what was published elsewhere, without credit or event', async () => {
    const { world, account } = await inboxWith(stores, { posts: [post('p1'), post('p2')] });
    expect(await sync(world, account)).toEqual({});
    world.clock.move(5 * MINUTE);
    await sync(world, account);
    const posts = await world.store.db.selectFrom('posts').selectAll().execute();
    const synced = { source: 'synced', status: 'published', charged: null, published_at: DAWN };
    expect(posts).toMatchObject([synced, synced]);
    const targets = await world.store.db.selectFrom('targets').selectAll().orderBy('platform_post_id').execute();
    const first = { platform_post_id: 'p1', status: 'published', permalink: 'https://told.test/p1' };
    expect(targets).toMatchObject([first, { platform_post_id: 'p2' }]);
    const stored = await world.store.db.selectFrom('inbox_posts').selectAll().orderBy('platform_id').execute();
    const counted = { comment_count: 2, like_count: 3, thumbnail: 'https://told.test/p1.png' };
    expect(stored).toMatchObject([{ platform_id: 'p1', content: 'Post p1', ...counted }, { platform_id: 'p2' }]);
    expect(await world.events()).toEqual([]);
  });

  it('leaves posts of ours alone, and what may be one that is under way', async () => {
    const { world, account } = await inboxWith(stores, { posts: [post('p1', { created_at: DAWN + DAY })] });
    await sync(world, account);
    const [target] = await world.store.db.selectFrom('targets').selectAll().execute();
    const underWay = { platform_post_id: null, status: 'publishing', started_at: DAWN + DAY } as const;
    await world.store.write(({ db }) => db.updateTable('targets').set(underWay).execute());
    const again = async () => {
      world.clock.move(5 * MINUTE);
      await sync(world, account);
      return (await world.store.db.selectFrom('targets').selectAll().execute()).length;
    };
    expect(await again()).toBe(1);
    const set = { platform_post_id: 'p1', status: 'published' } as const;
    await world.store.write(({ db }) => db.updateTable('targets').set(set).where('id', '=', target!.id).execute());
    expect(await again()).toBe(1);
  });

  it('reads so deep, page by page, and says how far it is', async () => {
    const own = (page_id: string) => Array.from({ length: 6 }, (_, n) => post(`${page_id}-${n}`, { page_id }));
    const pages = [page('a'), page('b'), page('c')];
    const posts = [...own('a'), ...own('b'), ...own('c')];
    const { world, account } = await inboxWith(stores, { pages, posts });
    await world.connect(account);
    await world.pages.update(world.authority, account.id, 'c', { is_active: false });
    const told: string[] = [];
    await world.sync(world.authority, account.id, (done, total) => void told.push(`${done} of ${total}`));
    expect(told).toEqual(['4 of 8', '8 of 8']);
    const [a] = await world.pages.list(world.authority, account.id);
    const targets = await world.store.db.selectFrom('targets').selectAll().orderBy('platform_post_id').execute();
    expect(targets.length).toBe(8);
    const ofA = targets.filter(({ page_id }) => page_id === a!.id).map((row) => row.platform_post_id);
    expect(ofA).toEqual(['a-0', 'a-1', 'a-2', 'a-3']);
    await world.pages.update(world.authority, account.id, 'a', { is_active: false });
    await world.pages.update(world.authority, account.id, 'b', { is_active: false });
    world.clock.move(5 * MINUTE);
    await expect(sync(world, account)).rejects.toMatchObject({ code: 'account.no_active_page' });
  });

  it('that is killed leaves the inbox as it is', async ({ world, account }) => {
    const states: unknown[] = [];
    const look = world.store.db.selectFrom('inbox_accounts').select(['sync_state', 'sync_started_at']);
    Object.defineProperty(world.telling(), 'posts', {
      get: () => (states.push(look.executeTakeFirstOrThrow()), [post('p1')]),
    });
    await sync(world, account);
    const idle = { sync_state: 'idle', sync_started_at: world.clock.now() };
    expect(await Promise.all(states)).toEqual(states.map(() => idle));
    expect(states.length).toBeGreaterThan(0);
  });

  it('is done once in five minutes, and a failed one does not count', async ({ world, account }) => {
    const telling = world.telling();
    const posts = telling.posts;
    Object.defineProperty(telling, 'posts', {
      configurable: true,
      get() {
        throw new PlatformError('throttled', 'rate_limit', 'Slow down.', { retryAfter: 9 });
      },
    });
    const throttled = { code: 'platform.facebook.rate_limit', detail: { retryAfter: 9 } };
    await expect(sync(world, account)).rejects.toMatchObject(throttled);
    const state = await world.store.db.selectFrom('inbox_accounts').selectAll().executeTakeFirstOrThrow();
    // What is told of the inbox is not about posts; a sync that nobody ends leaves nothing behind there.
    expect(state).toMatchObject({ sync_state: 'idle', sync_started_at: 0 });
    Object.defineProperty(telling, 'posts', { configurable: true, value: posts });
    const [one, two] = await Promise.allSettled([sync(world, account), sync(world, account)]);
    expect([one.status, two.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    world.clock.move(2 * MINUTE);
    const early = { code: 'account.sync_cooldown', detail: { retryAfter: 180 } };
    await expect(sync(world, account)).rejects.toMatchObject(early);
    world.clock.move(3 * MINUTE);
    expect(await sync(world, account)).toEqual({});
  });

  it('is refused where posts cannot be listed, and where the account is dead or unknown', async () => {
    const world = await makeInboxWorld(stores, { facebook: { posts: [] }, telegram: {} });
    const dead = await world.account('facebook', { status: 'reconnect_required' });
    const unlisted = await world.account('telegram');
    await expect(sync(world, unlisted)).rejects.toMatchObject({ code: 'resource.not_supported' });
    await expect(sync(world, dead)).rejects.toMatchObject({ code: 'account.reconnection_required' });
    const authority = authorityOver(world.workspace, { brands: ['brd_other'] });
    await expect(world.sync(authority, dead.id, () => {})).rejects.toMatchObject({ code: 'account.not_found' });
  });
});
