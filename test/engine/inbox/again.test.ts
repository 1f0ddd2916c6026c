import { DAY } from '#kernel/clock.ts';
import { expect, it } from 'vitest';
import { describeStores } from '../../harness/stores/stores.ts';
import { loadAccount, type AccountRow } from '#db/access/accounts.ts';
import type { InboundBatch, InboundEvent } from '#platforms/inbound.ts';
import { inboxWith, makeInboxWorld, type InboxWorld } from '../../harness/worlds/inbound.ts';
import { commented, mentioned, reading, reviewed, said, thread } from '../../harness/platforms/inbound.ts';

/** Connects an account, anew when it was connected before. */
async function connect(world: InboxWorld, { id }: AccountRow): Promise<void> {
  const connected_at = world.clock.now();
  await world.store.write(async (tx) => {
    await tx.db.updateTable('accounts').set({ status: 'active', connected_at }).where('id', '=', id).execute();
    const account = (await loadAccount(tx.db, id))!;
    const profile = { platform_user_id: '', username: '', name: '' };
    await world.inbound.onConnected(tx, account, { profile, session: {} });
  });
}

const end = ({ store }: InboxWorld, { id }: AccountRow) =>
  store.write(({ db }) =>
    db.updateTable('accounts').set({ status: 'reconnect_required' }).where('id', '=', id).execute(),
  );

describeStores('an account that is connected again', (stores) => {
  it('reports what came meanwhile, and nothing that was known or is older than its inbox', async () => {
    let facts: readonly InboundEvent[] = [];
    const { world, account } = await inboxWith(stores, { history: () => reading(1, facts) });
    const before = world.clock.now() - DAY;
    facts = [said('old', { created_at: before }), commented('c-old', { created_at: before })];
    await connect(world, account);
    await world.settle();
    expect(await world.told()).toEqual([]);
    await world.store.write(({ db }) => db.updateTable('conversations').set({ status: 'archived' }).execute());
    await end(world, account);
    world.clock.move(DAY);
    const created_at = world.clock.now() - 1000;
    facts = [
      said('m1', { created_at }),
      said('m2', { created_at, direction: 'outgoing' }),
      said('n1', { created_at }, thread('new', { unread: 2 })),
      said('n2', { created_at }, thread('new', { unread: 2 })),
      commented('c1', { created_at }),
      mentioned('a1', { created_at }),
      reviewed('r1', { created_at }),
      ...facts,
      said('older', { created_at: before - 1 }),
      commented('c-older', { created_at: before - 1 }),
    ];
    await connect(world, account);
    await world.settle();
    const news = [
      'comment.received c1',
      'dm.received m1',
      'dm.received n1',
      'dm.received n2',
      'dm.sent m2',
      'mention.received a1',
      'review.received r1',
    ];
    expect((await world.told()).toSorted()).toEqual(news);
    const threads = (await world.rows('conversations')).map(
      ({ platform_id, status, unread_count }) => `${platform_id} ${status} ${unread_count}`,
    );
    expect(threads.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['fan active 1', 'new active 2']);
    // What is pushed late, or read with yet another connection, was told.
    await world.push(account, [said('m1', { created_at }), commented('c1', { created_at })]);
    world.clock.move(DAY);
    await connect(world, account);
    await world.settle();
    expect((await world.told()).toSorted()).toEqual(news);
  });

  it('is read anew though a history was being read', async () => {
    const slow = Promise.withResolvers<InboundBatch>();
    const seen: unknown[] = [];
    const history = (cursor: unknown) => {
      seen.push(cursor);
      return seen.length === 1 ? slow.promise : reading(2, [said('m1', { created_at: world.clock.now() - 1 })]);
    };
    const world: InboxWorld = await makeInboxWorld(stores, { facebook: { history } });
    const account = await world.account();
    await connect(world, account);
    const first = world.inbound.readJobs.welcome_account({ key: account.id });
    while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await end(world, account);
    world.clock.move(DAY);
    await connect(world, account);
    slow.resolve(reading(1, [said('m1', { created_at: world.clock.now() - 1 })]));
    expect(await first).toEqual({ again: expect.any(Number) });
    await world.settle();
    expect([seen, await world.told()]).toEqual([[undefined, undefined], ['dm.received m1']]);
  });
});

describeStores('two polls at the same time', (stores) => {
  it('lose no new activity when they are the first', async () => {
    const slow = Promise.withResolvers<InboundBatch>();
    const polled: unknown[] = [];
    const poll = (cursor: unknown) => {
      polled.push(cursor);
      if (polled.length === 1) return slow.promise;
      return cursor === undefined ? reading(1) : reading(2, [commented('new')]);
    };
    const { world, account } = await inboxWith(stores, { poll }, 'bluesky');
    const { poll_inbox } = world.inbound.pollJobs;
    const first = poll_inbox({ key: account.id });
    while (polled.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await poll_inbox({ key: account.id });
    // It was asked first and answered last: what it met came after the place where news begin by now.
    slow.resolve(reading(2, [commented('new')]));
    const { again } = (await first) as { again: number };
    expect(again).toBeLessThan(1000);
    await poll_inbox({ key: account.id });
    expect([polled, await world.told()]).toEqual([[undefined, undefined, 1], ['comment.received new']]);
  });

  it('go on though the account is welcomed again and again', async () => {
    const history = (cursor: unknown) => {
      world.clock.move(60_000);
      const at = (cursor as number | undefined) ?? 0;
      return reading(at + 1, [], at < 6);
    };
    const world: InboxWorld = await makeInboxWorld(stores, { bluesky: { history, poll: () => reading(1) } });
    const account = await world.account('bluesky');
    await connect(world, account);
    const running = { lease_token: 'another', lease_until: world.clock.now() + DAY, run_at: world.clock.now() + DAY };
    await world.store.write(({ db }) => db.updateTable('jobs').set(running).where('kind', '=', 'poll_inbox').execute());
    for (let run = 0; run < 4; run += 1) await world.pass(100);
    const jobs = await world.store.db.selectFrom('jobs').select(['kind', 'lease_token']).execute();
    expect(jobs).toEqual([{ kind: 'poll_inbox', lease_token: 'another' }]);
  });
});

describeStores('a message that history counted as unread', (stores) => {
  it('is not counted again when it is pushed, and others are', async () => {
    const { world, account } = await inboxWith(stores);
    await world.record(account, [said('m1', {}, thread('fan', { unread: 2 }))], { silent: true });
    world.clock.move(1000);
    await world.record(account, [said('m1')]);
    expect(await world.told()).toEqual(['dm.received m1']);
    expect(await world.rows('conversations')).toMatchObject([{ unread_count: 2 }]);
    await world.record(account, [said('m2')], { silent: true });
    world.clock.move(1000);
    await world.store.write(({ db }) => db.updateTable('conversations').set({ status: 'archived' }).execute());
    // One that came after history made the conversation was counted by nobody.
    await world.record(account, [said('m2'), said('m3')]);
    expect(await world.rows('conversations')).toMatchObject([{ unread_count: 4, status: 'active' }]);
  });
});
