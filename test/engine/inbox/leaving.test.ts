import { expect, it } from 'vitest';
import { insertPush } from '#db/inbox/pushes.ts';
import { sweepRemovedWorkspaces } from '#db/upkeep/removed-workspaces.ts';
import { publish } from '../../harness/calls/rest.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { accountWorld } from '../../harness/worlds/account.ts';
import { inboxWith } from '../../harness/worlds/inbound.ts';
import { commented, mentioned, requestOf, reviewed, said, sendPush } from '../../harness/platforms/inbound.ts';

const everything = [commented('c1'), commented('c2'), said('m1'), said('m2'), mentioned('n1'), reviewed('r1')];

const TABLES = ['comments', 'messages', 'conversations', 'mentions', 'reviews', 'inbox_posts'] as const;

describeStores('a removed workspace', (stores) => {
  it('takes its inbox along, step by step', async () => {
    const { world, account } = await inboxWith(stores);
    await world.record(account, everything);
    await world.store.write(async ({ db }) => {
      await db.deleteFrom('accounts').execute();
      await db.updateTable('workspaces').set({ removed_at: 1 }).execute();
    });
    for (let step = 0; step < 60; step += 1) await world.store.write(({ db }) => sweepRemovedWorkspaces(db, 1));
    for (const table of TABLES) expect([table, await world.rows(table)]).toEqual([table, []]);
    expect(await world.store.db.selectFrom('workspaces').selectAll().execute()).toEqual([]);
  });
});

it.each(['account', 'brand'])('an %s that goes takes its inbox along', async (what) => {
  const { world, accountId } = await accountWorld({});
  const told = everything.map((event) => ({ user: 'ann', event }));
  await sendPush(`${world.root}/push/facebook`, told);
  await world.settle();
  const { db } = world.product.store;
  const rowsOf = (table: (typeof TABLES)[number]) =>
    db.selectFrom(table).select('account_id').where('account_id', '=', accountId).execute();
  const left = async () => (await Promise.all(TABLES.map(rowsOf))).map((rows) => rows.length);
  expect((await left()).every((n) => n > 0)).toBe(true);
  const brand = (await world.rest('GET /v1/accounts')).body.data[0].brand_id as string;
  await world.rest(what === 'account' ? `DELETE /v1/accounts/${accountId}` : `DELETE /v1/brands/${brand}`);
  await world.settle();
  expect(await left()).toEqual(TABLES.map(() => 0));
  expect(await db.selectFrom('jobs').select('key').where('key', '=', accountId).execute()).toEqual([]);
});

it('a post that is published is in the inbox at once, and comments on it say whose they are', async () => {
  const { world, accountId } = await accountWorld({});
  const { body: post } = await publish(world, accountId, { text: 'News' });
  expect(post.status).toBe('published');
  const { db } = world.product.store;
  const made = { platform_id: 'made of News', content: 'News', permalink: 'https://told.test/made' };
  expect(await db.selectFrom('inbox_posts').selectAll().execute()).toMatchObject([
    { account_id: accountId, ...made, comment_count: 0, published_at: world.clock.now() },
  ]);
  const receiver = await world.receive(['comment.received']);
  const told = [{ user: 'ann', event: commented('c1', { platform_post_id: 'made of News' }) }];
  await sendPush(`${world.root}/push/facebook`, told);
  await world.settle();
  expect(receiver.received.map(({ body: { data } }) => data['post_id'])).toEqual([post.id]);
});

const pages = [{ platform_page_id: '11', name: 'One' }];

it('what a session gains by reading its pages is kept', async () => {
  const { telling } = await accountWorld({ pages });
  expect(telling.sessions).toEqual([{ who: 'ann', pages: ['11'] }]);
});

it('what a session gains by reading its pages is not lost to a refresh that is under way', async () => {
  const { world, telling, accountId } = await accountWorld({ pages });
  const lease = (token: string | null, until: number) =>
    world.product.store.write(async (tx) => {
      const set = { lease_token: token, lease_until: until };
      await tx.db.updateTable('accounts').set(set).where('id', '=', accountId).execute();
      await tx.enqueue({ kind: 'refresh_pages', key: accountId, runAt: world.clock.now() });
    });
  const count = async () => (await world.rest(`GET /v1/accounts/${accountId}/pages`)).body.data.length as number;
  telling.pages = [...pages, { platform_page_id: '22', name: 'Two' }];
  await lease('another', world.clock.now() + 60_000);
  await world.settle();
  expect(await count()).toBe(1);
  await lease(null, 0);
  await world.settle();
  expect(await count()).toBe(2);
  expect(telling.sessions.at(-1)).toEqual({ who: 'ann', pages: ['11', '22'] });
});

it('access that was taken back before an account was connected again stays with the connection it was of', async () => {
  const { world } = await accountWorld({});
  const { body, headers } = requestOf([{ user: 'ann', event: { kind: 'revoked', why: 'The app was removed.' } }]);
  const revoke = (id: string, received_at: number) =>
    world.product.store.write(async (tx) => {
      const place = { platform: 'facebook', network: 'real', path: '', headers };
      await insertPush(tx.db, { id, ...place, body: Buffer.from(body).toString('base64'), received_at });
      await tx.enqueue({ kind: 'take_push', key: id, runAt: world.clock.now() });
    });
  const status = async () => (await world.rest('GET /v1/accounts')).body.data[0].status as string;
  const before = world.clock.now();
  world.clock.move(1000);
  await world.rest('POST /v1/accounts/connect', { platform: 'facebook', metadata: { who: 'ann' } });
  await revoke('push_1', before);
  await world.settle();
  expect(await status()).toBe('active');
  await revoke('push_2', world.clock.now());
  await world.settle();
  expect(await status()).toBe('reconnect_required');
});
