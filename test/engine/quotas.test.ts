import { MINUTE, HOUR } from '#kernel/clock.ts';
import { describe, expect, it } from 'vitest';
import { readQuotas, sweepQuotas, takeQuota } from '#db/access/quotas.ts';
import { windowAt } from '#kernel/limits/windows.ts';
import type { AccountCall } from '#platforms/call.ts';
import type { Platform } from '#platforms/platform.ts';
import type { Cost } from '#platforms/app/quotas.ts';
import { fakePlatform } from '../harness/platforms/fake.ts';
import { describeStores } from '../harness/stores/stores.ts';
import { makeWorld, type World } from '../harness/world.ts';

const SLUG = 'youtube';
const PACIFIC = 'America/Los_Angeles';

/** A platform whose polls cost 10 of 200 units a day, and whose limits can be read 3 times a minute. */
function quotaPlatform() {
  const asked = { polls: 0, limits: 0 };
  const ask = (call: AccountCall, cost: Cost | readonly Cost[]) =>
    call.http({ method: 'GET', url: `${call.hosts['api']}/x`, template: '/x', cost });
  const platform: Platform = fakePlatform(SLUG, {
    hosts: { real: {}, sandbox: ({ api }) => ({ api }) },
    settings: [{ name: 'YOUTUBE_DAILY_UNITS', meaning: 'Units a day.', parse: String, sandbox: '200' }],
    quotas: {
      units: { setting: 'YOUTUBE_DAILY_UNITS', per: 'app', every: 'day', zone: PACIFIC },
      looks: { limit: 3, per: 'account', every: 'minute' },
      unlimited: { per: 'app', every: 'month' },
    },
    connect: {
      kind: 'direct',
      form: [],
      required: ['token'],
      login: async (_call, { token }) => ({
        profile: { platform_user_id: token!, username: token!, name: token! },
        session: {},
      }),
    },
    async limits(call) {
      const look = { bucket: 'looks', units: 1 };
      await ask(call, [look, { bucket: 'unlimited', units: 1_000_000 }]);
      asked.limits += 1;
      return { uploads_remaining: 5 };
    },
    inbox: {
      poll: {
        everyMs: 5 * MINUTE,
        cost: { bucket: 'units', units: 10 },
        async read(call) {
          await ask(call, { bucket: 'units', units: 10 });
          asked.polls += 1;
          return { events: [], cursor: asked.polls, more: false };
        },
      },
    },
  });
  return { platform, asked };
}

async function scene() {
  const { platform, asked } = quotaPlatform();
  const world = await makeWorld({ surroundings: { platforms: new Map([[SLUG, platform]]) } });
  const connect = async (token: string): Promise<string> =>
    (await world.rest('POST /v1/accounts/connect', { platform: SLUG, metadata: { token } })).body.account_id;
  const limits = (id: string) => world.rest(`GET /v1/accounts/${id}/limits`);
  return { world, asked, connect, limits };
}

const noticeOf = async (world: World): Promise<string | undefined> =>
  (await world.rest('GET /v1/accounts')).body.data[0].metadata.notice;

describe('quotas of a platform', () => {
  it('answer 429 before the platform does, for the account that used its own up', async () => {
    const { world, asked, connect, limits } = await scene();
    const [one, two] = [await connect('one'), await connect('two')];
    for (let left = 2; left >= 0; left -= 1) {
      expect((await limits(one)).body).toMatchObject({ uploads_remaining: 5, looks_remaining: left });
    }
    const { status, body, headers } = await limits(one);
    expect([status, body.error.code]).toEqual([429, 'platform.youtube.rate_limit']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(asked.limits).toBe(3);
    expect((await limits(two)).status).toBe(200);
    world.clock.move(MINUTE);
    expect((await limits(one)).status).toBe(200);
  });

  it('are shown with what is left of them, and are not counted without a limit', async () => {
    const { connect, limits, world } = await scene();
    const id = await connect('one');
    await world.settle();
    const { body } = await limits(id);
    expect(body).toMatchObject({ units_remaining: 190, looks_remaining: 2 });
    expect(body).not.toHaveProperty('unlimited_remaining');
  });

  it('slow polls down as less is left, pause them with a notice, and begin anew at midnight of their zone', async () => {
    const { world, asked, connect } = await scene();
    // Just after midnight there: the window is a whole day long.
    const { end: midnight } = windowAt({ every: 'day', zone: PACIFIC }, world.clock.now());
    world.clock.move(midnight - world.clock.now());
    await connect('one');
    await world.settle();
    const first = asked.polls;
    // A tenth of the budget of polls lasts for about a tenth of the day, and not for five minutes.
    for (let at = 0; at < 60; at += 5) await world.pass(5 * MINUTE);
    expect(asked.polls).toBe(first);
    for (let hour = 1; hour < 23; hour += 1) await world.pass(HOUR);
    expect(asked.polls).toBeGreaterThan(first + 5);
    expect(asked.polls).toBeLessThanOrEqual(20);
    await world.product.store.write(({ db }) => db.updateTable('quotas').set({ used: 195 }).execute());
    for (let quarter = 0; quarter < 3; quarter += 1) await world.pass(15 * MINUTE);
    await world.product.store.write(({ db }) =>
      db.updateTable('jobs').set({ run_at: world.clock.now() }).where('kind', '=', 'poll_inbox').execute(),
    );
    await world.settle();
    const before = asked.polls;
    expect(await noticeOf(world)).toMatch(/^Polling is paused until 2026-\d\d-\d\dT0[78]:00:00\.000Z/);
    await world.pass(2 * HOUR);
    expect(asked.polls).toBeGreaterThan(before);
    expect(await noticeOf(world)).toBeUndefined();
  });
});

describe('windows', () => {
  const at = (text: string) => Date.parse(text);
  const shown = ({ start, end }: { start: number; end: number }) =>
    [start, end].map((instant) => new Date(instant).toISOString().slice(0, 16));

  it.each([
    [{ every: 'minute' }, '2026-11-22T10:15:42Z', ['2026-11-22T10:15', '2026-11-22T10:16']],
    [{ every: 'day' }, '2026-11-22T10:15:42Z', ['2026-11-22T00:00', '2026-11-23T00:00']],
    [{ every: 'day', zone: PACIFIC }, '2026-11-22T07:59:59Z', ['2026-11-21T08:00', '2026-11-22T08:00']],
    // Clocks are put back on this day, which has 25 hours.
    [{ every: 'day', zone: PACIFIC }, '2026-11-01T20:00:00Z', ['2026-11-01T07:00', '2026-11-02T08:00']],
    [{ every: 'month' }, '2026-12-31T23:59:59Z', ['2026-12-01T00:00', '2027-01-01T00:00']],
    [{ every: 'month', zone: PACIFIC }, '2026-11-01T06:00:00Z', ['2026-10-01T07:00', '2026-11-01T07:00']],
  ] as const)('%j at %s', (window, now, expected) => {
    expect(shown(windowAt(window, at(now)))).toEqual(expected);
  });
});

describeStores('a window of a quota', ({ open }) => {
  const window = { bucket: 'b', start: 1000, end: 2000 };

  it('is never overdrawn, however many take of it at once', async () => {
    const store = await open();
    const take = (units: number) => store.write((tx) => takeQuota(tx.db, window, { units, limit: 20 }));
    const taken = await Promise.all(Array.from({ length: 12 }, () => take(3)));
    expect(taken.filter(Boolean)).toHaveLength(6);
    expect(await take(2)).toBe(true);
    expect(await take(1)).toBe(false);
    const other = { ...window, start: 3000 };
    expect(await readQuotas(store.db, [window, other])).toEqual([20, 0]);
    expect(await store.write((tx) => takeQuota(tx.db, other, { units: 21, limit: 20 }))).toBe(false);
  });

  it('is removed when it is over', async () => {
    const store = await open();
    await store.write((tx) => takeQuota(tx.db, window, { units: 1, limit: 5 }));
    expect(await store.write((tx) => sweepQuotas(tx.db, 1999))).toBe(0);
    expect(await store.write((tx) => sweepQuotas(tx.db, 2000))).toBe(1);
  });
});
