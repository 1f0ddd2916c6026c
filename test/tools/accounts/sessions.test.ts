import { MINUTE } from '#kernel/clock.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { StoreUnavailable } from '#kernel/errors.ts';
import { openMemoryStore } from '../../harness/stores/reused.ts';
import { list, postNow, publish, refusalOf } from '../../harness/calls/rest.ts';
import { it, makeWorld, type Answer, type World } from '../../harness/world.ts';
import { callsOf, credentialsOf, upset } from '../../harness/platforms/bluesky-people.ts';

/** The simulator's access tokens live for two hours; refreshed after four fifths of it. */
const REFRESHED_AFTER = 96 * MINUTE;
const LIFE = 120 * MINUTE;

const refreshes = (world: World) => callsOf(world, 'com.atproto.server.refreshSession');

const publishText = (world: World, account: string, text = 'Hello') =>
  publish(world, account, { text, skip_duplicate_check: true });
const statusOf = async (world: World) => (await list(world, '/v1/accounts'))[0].status;

describe('the session of an account', () => {
  it('is refreshed ahead of its end, without anybody asking', async ({ world, account }) => {
    await world.pass(REFRESHED_AFTER - MINUTE);
    expect(refreshes(world)).toBe(0);
    await world.pass(2 * MINUTE);
    expect(refreshes(world)).toBe(1);
    // Long after the first refresh token would have been too old to be anything but rotated, it goes on.
    for (let round = 0; round < 20; round += 1) await world.pass(LIFE);
    expect((await publishText(world, account.id)).body.status).toBe('published');
  });

  it('is refreshed once and the call made again when the token is refused', async ({ world, account }) => {
    // The first poll is over, so the post is what meets the refusal.
    await world.settle();
    upset(world, 'expired', { times: 1 });
    expect((await publishText(world, account.id)).body.status).toBe('published');
    expect(refreshes(world)).toBe(1);
    expect(await statusOf(world)).toBe('active');
  });

  it('is refreshed once for many calls at the same time', async ({ world, account }) => {
    // Nobody refreshed in time: the first thing that happens after the end of the token is six posts at once.
    world.clock.move(LIFE + MINUTE - 1);
    const before = refreshes(world);
    const posts = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => publishText(world, account.id, `Post ${n}`)));
    await world.settle();
    const states = await Promise.all(posts.map(({ body }) => postNow(world, body.id)));
    expect(states.map(({ status }) => status)).toEqual(Array(6).fill('published'));
    expect(refreshes(world) - before).toBe(1);
  });

  it('is kept when the platform is down, tried again after a minute, and used while it is still good', async () => {
    const world = await makeWorld();
    const account = await world.connect();
    upset(world, 'throttled', { method: 'com.atproto.server.refreshSession', times: 3 });
    world.clock.move(REFRESHED_AFTER);
    expect((await publishText(world, account.id)).body.status).toBe('published');
    await world.settle();
    const tried = refreshes(world);
    await world.pass(30_000);
    expect(refreshes(world)).toBe(tried);
    expect(await statusOf(world)).toBe('active');
    for (let minute = 0; minute < 5; minute += 1) await world.pass(MINUTE + 1);
    for (let round = 0; round < 3; round += 1) await world.pass(LIFE);
    expect((await publishText(world, account.id)).body.status).toBe('published');
  });

  it('is stored once the store is back, and requests answer 503 before that', async () => {
    const bare = await openMemoryStore();
    let isAway = false;
    const write: typeof bare.write = (...args) =>
      isAway ? Promise.reject(new StoreUnavailable(new Error('disk full'))) : bare.write(...args);
    const world = await makeWorld({ surroundings: { store: { ...bare, write } } });
    const account = await world.connect();
    await world.settle();
    const post = (await publishText(world, account.id)).body.id;
    const ask = () => world.rest(`GET /v1/inbox/comments/${post}`);
    expect((await ask()).status).toBe(200);
    world.clock.move(LIFE + MINUTE);
    upset(world, 'slow', { method: 'com.atproto.server.refreshSession', delay_ms: 1000 });
    let answer: Answer | undefined;
    void ask().then((answered) => (answer = answered));
    // The platform is asked under a lease; the store goes away before it answers.
    while (refreshes(world) === 0) await wait(1);
    isAway = true;
    for (let second = 0; second < 30 && answer === undefined; second += 1) {
      world.clock.move(1000);
      await wait(10);
    }
    const late = await ask();
    for (const { status, headers, body } of [answer!, late])
      expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'http.503', '5']);
    expect((await world.rest('GET /v1/accounts')).status).toBe(200);
    isAway = false;
    while ((await ask()).status !== 200) world.clock.move(1000);
    expect(refreshes(world)).toBe(1);
  });

  it('survives a refresh whose answer is lost', async ({ world, account }) => {
    upset(world, 'lost', { method: 'com.atproto.server.refreshSession' });
    await world.pass(REFRESHED_AFTER + MINUTE);
    expect(refreshes(world)).toBe(2);
    await world.pass(LIFE);
    expect((await publishText(world, account.id)).body.status).toBe('published');
  });
});

describe('a grant that was taken back', () => {
  it('turns the account to reconnect_required, with one event, however many notice', async ({ world }) => {
    const receiver = await world.receive(['account.disconnected']);
    const account = await world.connect();
    upset(world, 'revoked');
    const posts = await Promise.all([1, 2, 3].map((n) => publishText(world, account.id, `Post ${n}`)));
    await world.settle();
    for (const { body } of posts) {
      // A post that came after the account had turned was not taken at all.
      const post = body.id && (await world.rest(`GET /v1/posts/${body.id}`)).body;
      expect(post ? post.results[0].error_code : body.error.code).toMatch(
        /^platform\.bluesky\.auth$|^account\.reconnection_required$/,
      );
    }
    await world.pass(5 * LIFE);
    expect(receiver.received.map(({ body }) => body)).toEqual([
      {
        event: 'account.disconnected',
        data: {
          account_id: account.id,
          brand_id: account.brand_id,
          platform: 'bluesky',
          reason: 'access_revoked',
          reconnect_required: true,
          reconnect_reason: expect.stringMatching(/./),
          disconnected_at: '2026-01-15T09:00:00.000Z',
          metadata: { sandbox: true },
        },
      },
    ]);
    expect(await refusalOf(publishText(world, account.id))).toEqual([403, 'account.reconnection_required']);
  });

  it('is noticed by the refresh, too', async ({ world }) => {
    const receiver = await world.receive(['account.disconnected']);
    await world.connect();
    upset(world, 'revoked');
    await world.pass(REFRESHED_AFTER + MINUTE);
    await world.settle();
    expect(receiver.received).toHaveLength(1);
    const before = refreshes(world);
    await world.pass(10 * LIFE);
    expect(refreshes(world)).toBe(before);
  });

  it('notifies again after the account was connected again', async ({ world }) => {
    const receiver = await world.receive(['account.disconnected', 'account.connected']);
    const account = await world.connect();
    for (const _ of [1, 2]) {
      upset(world, 'revoked');
      await publishText(world, account.id);
      await world.settle();
      expect((await world.connect()).id).toBe(account.id);
      await world.settle();
    }
    expect(receiver.events()).toEqual([
      'account.connected',
      'account.disconnected',
      'account.connected',
      'account.disconnected',
      'account.connected',
    ]);
  });

  it('does not end a session that was made while the old one was being refused', async ({ world }) => {
    const receiver = await world.receive(['account.disconnected']);
    const account = await world.connect();
    const old = await world.product.store.db.selectFrom('accounts').selectAll().executeTakeFirstOrThrow();
    upset(world, 'revoked');
    await world.rest('POST /v1/accounts/connect', { platform: 'bluesky', metadata: credentialsOf(world) });
    const { flagAccount } = await import('#db/access/accounts.ts');
    expect(await world.product.store.write(({ db }) => flagAccount(db, old, 'refused', world.clock.now()))).toBe(false);
    expect((await publishText(world, account.id)).body.status).toBe('published');
    await world.settle();
    expect(receiver.received).toEqual([]);
  });
});
