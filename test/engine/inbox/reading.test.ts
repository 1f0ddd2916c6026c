import { MINUTE, HOUR } from '#kernel/clock.ts';
import { expect, it } from 'vitest';
import { describeStores, type Stores } from '../../harness/stores/stores.ts';
import type { InboundEvent, PollBatch } from '#platforms/inbound.ts';
import type { AccountRow } from '#db/access/accounts.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { PlatformError } from '#platforms/errors.ts';
import { inboxWith, makeInboxWorld, type InboxWorld } from '../../harness/worlds/inbound.ts';
import { commented, DAWN, reading, said, thread, type InboundScript } from '../../harness/platforms/inbound.ts';

async function connected(world: InboxWorld, account: AccountRow): Promise<void> {
  await world.connect(account);
  await world.settle();
}

/** A world with an account of a platform, which has just been connected. */
async function connectedTo(stores: Stores, slug: PlatformSlug, script: Partial<InboundScript>): Promise<InboxWorld> {
  const { world, account } = await inboxWith(stores, script, slug);
  await connected(world, account);
  return world;
}

const progressOf = async (world: InboxWorld) =>
  (await world.store.db.selectFrom('inbox_accounts').selectAll().execute())[0]!;

const beginning = (cursor: number, baseline: readonly InboundEvent[]): PollBatch => ({ ...reading(cursor), baseline });

describeStores('polling', (stores) => {
  it('begins where the account was connected, and reports what is new from then on', async () => {
    let news: readonly InboundEvent[] = [commented('old')];
    const poll = (cursor: unknown) =>
      cursor === undefined ? beginning(1, news) : reading((cursor as number) + 1, news);
    const world = await connectedTo(stores, 'bluesky', { poll });
    expect(await world.events()).toEqual([]);
    news = [commented('old'), commented('new'), said('m1')];
    await world.pass(1.1 * MINUTE);
    news = [];
    await world.pass(1.1 * MINUTE);
    expect(world.telling('bluesky').polled).toEqual([undefined, 1, 2]);
    // What the first reading brought was there before, however often it is read again.
    expect((await world.events()).map(({ data }) => data.platform_id)).toEqual(['new', 'm1']);
    const last_synced_at = world.clock.now();
    expect(await progressOf(world)).toMatchObject({ sync_state: 'idle', poll_cursor: 3, last_synced_at });
  });

  it('waits where there is more, but the cursor stays as it was', async () => {
    const poll = (cursor: unknown): PollBatch =>
      cursor === undefined ? beginning(1, []) : { ...reading(cursor, [commented('again')]), more: true };
    const world = await connectedTo(stores, 'bluesky', { poll });
    await world.pass(1.1 * MINUTE);
    for (let time = 0; time < 5; time += 1) await world.pass(100);
    expect(world.telling('bluesky').polled).toEqual([undefined, 1]);
    await world.pass(1.1 * MINUTE);
    expect(world.telling('bluesky').polled).toEqual([undefined, 1, 1]);
  });

  it('reports what a part that begins later met, as far as it came after the connection, and once', async () => {
    const connected_at = DAWN + HOUR;
    const met = [
      said('before', { created_at: connected_at - 1 }, thread('fan', { unread: 2 })),
      said('after', { created_at: connected_at + 1 }),
    ];
    const poll = (cursor: unknown): PollBatch => {
      if (cursor === undefined) return beginning(1, [commented('old')]);
      const batch = reading(Number(cursor) + 1, [commented(`c${Number(cursor)}`)]);
      return { ...batch, baseline: cursor === 3 ? [] : met };
    };
    const { world, account } = await inboxWith(stores, { poll }, 'bluesky', { connected_at });
    await connected(world, account);
    for (let time = 0; time < 3; time += 1) await world.pass(1.1 * MINUTE);
    const [first, ...others] = ['c1', 'c2', 'c3'].map((id) => `comment.received ${id}`);
    expect(await world.told()).toEqual([first, 'dm.received after', ...others]);
    expect((await world.rows('messages')).length).toBe(2);
  });

  it('that finds nothing new says when it looked, in the transaction that plans the next poll', async () => {
    const world = await connectedTo(stores, 'bluesky', { poll: () => reading(1) });
    await world.store.write((tx) => tx.db.updateTable('inbox_accounts').set({ sync_state: 'failed' }).execute());
    let writes = 0;
    world.clock.move(1.1 * MINUTE);
    const counted = await world.failing((n) => {
      writes = n;
      return false;
    });
    await world.settle([counted]);
    const last_synced_at = world.clock.now();
    expect(await progressOf(world)).toMatchObject({ sync_state: 'idle', poll_cursor: 1, last_synced_at });
    // One claims the job and one ends it.
    expect(writes).toBe(2);
  });

  it('reads on at once when there is more', async () => {
    const poll = (cursor: unknown) => {
      const at = (cursor as number | undefined) ?? 0;
      return at === 0 ? beginning(1, [commented('c0')]) : reading(at + 1, [commented(`c${at}`)], at < 4);
    };
    const world = await connectedTo(stores, 'bluesky', { poll });
    await world.pass(1.1 * MINUTE);
    for (let time = 0; time < 4; time += 1) await world.pass(100);
    expect((await world.rows('comments')).length).toBe(5);
    expect((await world.events()).length).toBe(4);
  });

  it('keeps its place and what it read together', async () => {
    const [many, last] = stores.kind === 'memory' ? [250, 4] : [101, 3];
    const facts = Array.from({ length: many }, (_, n) => commented(`c${n}`));
    const poll = (cursor: unknown) => (cursor === undefined ? reading(1) : reading(2, facts));
    const world = await connectedTo(stores, 'bluesky', { poll });
    let writes = 0;
    world.clock.move(1.1 * MINUTE);
    // The store fails at the end of what was read.
    const trouble = await world.failing((n) => {
      writes = n;
      return n === last;
    });
    await world.settle([trouble]);
    expect(await progressOf(world)).toMatchObject({ poll_cursor: 1 });
    expect(writes).toBeGreaterThanOrEqual(last);
    await world.pass(2 * HOUR);
    expect(await progressOf(world)).toMatchObject({ poll_cursor: 2 });
    expect((await world.rows('comments')).length).toBe(many);
    expect((await world.events()).length).toBe(many);
  });

  it('leaves a platform that fails alone for longer and longer, and one that throttles for as long as it says', async () => {
    let error: PlatformError | undefined = new PlatformError('unknown', 'api_error', 'Down.');
    const poll = () => {
      if (error) throw error;
      return reading(1);
    };
    const world = await connectedTo(stores, 'bluesky', { poll });
    const { polled } = world.telling('bluesky');
    for (let minute = 0; minute < 60; minute += 1) await world.pass(MINUTE);
    expect(polled.length).toBeGreaterThan(3);
    expect(polled.length).toBeLessThan(8);
    expect(await progressOf(world)).toMatchObject({ sync_state: 'failed' });
    error = new PlatformError('throttled', 'rate_limit', 'Slow down.', { retryAfter: 7200 });
    await world.pass(1.2 * HOUR);
    const asked = polled.length;
    await world.pass(1.7 * HOUR);
    expect(polled.length).toBe(asked);
    error = undefined;
    await world.pass(0.6 * HOUR);
    expect(await progressOf(world)).toMatchObject({ sync_state: 'idle' });
  });

  it('ends with the session, and begins again with the next one', async () => {
    const poll = (at: unknown) => reading(1, at === undefined ? [] : [commented('c1')]);
    const { world, account } = await inboxWith(stores, { poll }, 'bluesky');
    await connected(world, account);
    const state = (status: 'active' | 'reconnect_required') =>
      world.store.write(({ db }) => db.updateTable('accounts').set({ status }).where('id', '=', account.id).execute());
    await state('reconnect_required');
    await world.pass(1.1 * MINUTE);
    const jobs = await world.store.db.selectFrom('jobs').select('kind').where('kind', '=', 'poll_inbox').execute();
    expect([jobs, world.telling('bluesky').polled.length]).toEqual([[], 1]);
    await state('active');
    await connected(world, account);
    expect(world.telling('bluesky').polled).toEqual([undefined, 1]);
    // What came in between is news.
    expect((await world.events()).length).toBe(1);
    await world.store.write(({ db }) => db.deleteFrom('accounts').execute());
    await world.pass(1.1 * MINUTE);
    expect(world.telling('bluesky').polled.length).toBe(2);
  });
});

describeStores('a long history', { kinds: ['memory'] }, (stores) => {
  it('is read so far and no further', async () => {
    let asked = 0;
    const history = (cursor: unknown) => {
      asked += 1;
      const at = (cursor as number | undefined) ?? 0;
      const messages = Array.from({ length: 50 }, (_, n) => said(`m${at}-${n}`, {}, thread(`t${at}-${n}`)));
      return reading(at + 1, messages, true);
    };
    const world = await connectedTo(stores, 'facebook', { history });
    expect(asked).toBe(10);
    expect(await progressOf(world)).toMatchObject({ sync_state: 'idle', history_done: 1 });
  });
});

describeStores('history', (stores) => {
  it('is read to its end without an event, and goes on where it stopped', async () => {
    let fails = 2;
    const seen: unknown[] = [];
    const history = (cursor: unknown) => {
      const at = (cursor as number | undefined) ?? 0;
      seen.push(cursor);
      if (at === 2 && fails > 0) {
        fails -= 1;
        throw new PlatformError('unknown', 'api_error', 'No answer.');
      }
      const message = said(`m${at}`, { created_at: DAWN - at }, thread(`t${at}`));
      return reading(at + 1, [message, commented(`c${at}`)], at < 3);
    };
    const world = await connectedTo(stores, 'facebook', { history });
    expect(await progressOf(world)).toMatchObject({ sync_state: 'failed', history_done: 0 });
    for (let time = 0; time < 5; time += 1) await world.pass(5 * MINUTE);
    expect(seen).toEqual([undefined, 1, 2, 2, 2, 3]);
    expect(await world.events()).toEqual([]);
    expect((await world.rows('messages')).length).toBe(4);
    const last_synced_at = expect.any(Number);
    expect(await progressOf(world)).toMatchObject({ sync_state: 'idle', history_done: 1, last_synced_at });
    const news = [said('m0', {}, thread('t0')), commented('c9')];
    await world.pushed({ platform: 'facebook', platform_user_id: 'user-1' }, news);
    expect((await world.events()).map(({ event }) => event)).toEqual(['dm.received', 'comment.received']);
  });

  it('is read in several runs when it takes its time', async () => {
    const seen: unknown[] = [];
    const world = await makeInboxWorld(stores, {
      facebook: {
        history: (cursor) => {
          const at = (cursor as number | undefined) ?? 0;
          seen.push(cursor);
          world.clock.move(MINUTE);
          return reading(at + 1, [said(`m${at}`)], at < 4);
        },
      },
    });
    await world.connect(await world.account());
    for (let run = 0; run < 3; run += 1) await world.pass(100);
    expect(seen).toEqual([undefined, 1, 2, 3, 4]);
    expect(world.telling().registered.length).toBe(3);
    expect(await progressOf(world)).toMatchObject({ sync_state: 'idle', history_done: 1 });
  });

  it('that the platform refuses keeps nobody from new activity', async () => {
    const history = () => {
      throw new PlatformError('refused', 'permission_denied', 'Not yours to read.');
    };
    const world = await connectedTo(stores, 'bluesky', { history, poll: () => reading(1) });
    expect(world.telling('bluesky').polled.length).toBe(1);
    const left = await world.store.db.selectFrom('jobs').select('kind').execute();
    expect(left).toEqual([{ kind: 'poll_inbox' }]);
  });

  it('of several parts has failed only if the platform refuses all of them', async () => {
    const error = new PlatformError('refused', 'permission_denied', 'Not yours to read.');
    const shut = (page: string) => ({ events: [], skipped: [{ page, error }] });
    const states = [];
    for (const [first, second] of [
      [shut('a'), { events: [] }],
      [{ events: [] }, shut('b')],
      [shut('a'), shut('b')],
    ]) {
      const history = (cursor: unknown) =>
        cursor === undefined ? { ...first!, cursor: 1, more: true } : { ...second!, cursor: 2, more: false };
      const world = await connectedTo(stores, 'facebook', { history });
      const { sync_state, history_done } = await progressOf(world);
      states.push([sync_state, history_done]);
    }
    expect(states).toEqual([
      ['idle', 1],
      ['idle', 1],
      ['failed', 1],
    ]);
  });

  it('is preceded by the address for pushes', async () => {
    const world = await connectedTo(stores, 'facebook', {});
    const secrets = { clientSecret: expect.any(String), verifyToken: expect.any(String) };
    const callback = 'https://here.test/push/facebook';
    expect(world.telling().registered).toEqual([{ clientId: 'app', callback, ...secrets }]);
  });
});

describeStores('what an account leaves', (stores) => {
  it('goes step by step when it is purged, and nothing else does', async () => {
    const world = await makeInboxWorld(stores);
    const [gone, other] = [await world.account(), await world.account()];
    await world.record(other, [said('m1'), commented('c1')], { silent: true });
    await world.record(gone, [commented('c1'), said('m1')], { silent: true });
    await world.copies('messages', 1200, (_, n) => ({ account_id: gone.id, platform_id: `copy${n}` }));
    await world.store.write(({ db }) => db.deleteFrom('accounts').where('id', '=', gone.id).execute());
    await world.inbound.purge(gone.id);
    for (const table of ['messages', 'comments', 'conversations', 'inbox_posts'] as const)
      expect([table, (await world.rows(table)).map(({ account_id }) => account_id)]).toEqual([table, [other.id]]);
  });
});
