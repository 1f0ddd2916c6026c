import { describe, expect, it } from 'vitest';
import { dashboardToken } from '../../harness/calls/dashboard.ts';
import { leashedKey } from '../../harness/calls/leash.ts';
import { call, callThrough, expectInvalid, expectRefusal, expectRequired } from '../../harness/calls/operations.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeWorld, type Json, type World, type WorldOptions } from '../../harness/world.ts';
import { make, secondAccount } from '../../harness/worlds/post-stage.ts';

type Input = Readonly<Record<string, unknown>>;

const DAILY = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((day) => ({ day, time: '12:00' }));
/** The worlds begin on Thursday, 15 January 2026, at 9 in UTC. */
const TODAY = '2026-01-15T12:00:00.000Z';
const [FRIDAY, SATURDAY, SUNDAY] = [16, 17, 18].map((day) => `2026-01-${day}T12:00:00.000Z`);

async function stage(times: readonly object[] = DAILY, options: WorldOptions = {}) {
  const world = await makeWorld(options);
  const account = await world.connect();
  if (times.length > 0) await call(world, 'set_posting_times', { times });
  const list = (input: Input = {}, key = world.key) =>
    call(world, 'list_free_times', { account_ids: [account.id], ...input }, { key });
  const free = async (input: Input = {}): Promise<readonly string[]> =>
    (await list(input)).body.times.map(({ scheduled_at }: Json) => scheduled_at);
  return { world, account, list, free };
}

const schedule = (world: World, account: Json, scheduled_at: string | undefined, more: Input = {}) =>
  make(world, { text: `At ${scheduled_at}`, account_ids: [account.id], scheduled_at, ...more });

describeStores('free times', (stores) => {
  it('are the next posting times at which none of the accounts has a post', async () => {
    const { world, account, free } = await stage(DAILY, { store: await stores.place() });
    const other = await secondAccount(world);
    expect(await free()).toEqual([TODAY]);
    const post = await schedule(world, account, TODAY);
    await schedule(world, other, '2026-01-17T12:00:40Z');
    expect(await free({ count: 3 })).toEqual([FRIDAY, SATURDAY, SUNDAY]);
    // The seconds of a post do not matter.
    expect(await free({ count: 2, account_ids: [account.id, other.id] })).toEqual([FRIDAY, SUNDAY]);
    const own = [{ account_id: account.id, scheduled_at: FRIDAY }, { account_id: other.id }];
    await make(world, { text: 'Apart', targets: own, scheduled_at: '2026-01-20T08:00:00Z' });
    expect(await free()).toEqual([SATURDAY]);
    await call(world, 'update_post', { post_id: post.id, scheduled_at: null });
    await schedule(world, account, undefined);
    expect(await free()).toEqual([TODAY]);
  });
});

describe('list_free_times', () => {
  it('leaves five minutes, and goes on after a time', async () => {
    const { world, free, list } = await stage();
    world.clock.move(175 * 60_000);
    expect(await free()).toEqual([TODAY]);
    world.clock.move(1);
    expect(await free()).toEqual([FRIDAY]);
    expect(await free({ after: '2026-01-16T11:59:59Z' })).toEqual([FRIDAY]);
    expect(await free({ after: FRIDAY })).toEqual([SATURDAY]);
    expect((await list({ count: 1 })).body).toEqual({
      timezone: 'UTC',
      times: [{ scheduled_at: FRIDAY, day: 'fri', time: '12:00' }],
    });
  });

  it('follows the clocks of the timezone when they change', async () => {
    const { world, list } = await stage([
      { day: 'sat', time: '09:00' },
      { day: 'sun', time: '02:30' },
      { day: 'sun', time: '03:30' },
      { day: 'sun', time: '09:00' },
    ]);
    await call(world, 'patch_me', { timezone: 'Europe/Berlin' });
    const from = async (after: string, count: number) => {
      const { body } = await list({ after, count });
      return body.times.map(({ scheduled_at, day, time }: Json) => `${scheduled_at} ${day} ${time}`);
    };
    // 02:30 is skipped, and becomes the 03:30 that is a posting time, too.
    expect(await from('2026-03-28T00:00:00Z', 4)).toEqual([
      '2026-03-28T08:00:00.000Z sat 09:00',
      '2026-03-29T01:30:00.000Z sun 03:30',
      '2026-03-29T07:00:00.000Z sun 09:00',
      '2026-04-04T07:00:00.000Z sat 09:00',
    ]);
    // 02:30 comes twice, and the first one counts.
    expect(await from('2026-10-24T00:00:00Z', 4)).toEqual([
      '2026-10-24T07:00:00.000Z sat 09:00',
      '2026-10-25T00:30:00.000Z sun 02:30',
      '2026-10-25T02:30:00.000Z sun 03:30',
      '2026-10-25T08:00:00.000Z sun 09:00',
    ]);
    // Where it is Sunday already.
    await call(world, 'patch_me', { timezone: 'Pacific/Auckland' });
    expect(await from('2026-01-17T12:00:00Z', 1)).toEqual(['2026-01-17T13:30:00.000Z sun 02:30']);
  });

  it('uses the times of the brand, and those of the workspace for accounts of several', async () => {
    const { world, account, free } = await stage();
    const other = await secondAccount(world);
    const account_ids = [account.id, other.id];
    await call(world, 'set_posting_times', { brand_id: other.brand_id, times: [{ day: 'fri', time: '08:00' }] });
    expect(await free({ account_ids: [other.id] })).toEqual(['2026-01-16T08:00:00.000Z']);
    expect(await free()).toEqual([TODAY]);
    expect(await free({ account_ids })).toEqual([TODAY]);
    await call(world, 'set_posting_times', { times: [] });
    const key = world.key;
    for (const ids of [[account.id], account_ids]) {
      const asked = call(world, 'list_free_times', { account_ids: ids }, { key });
      await expectRefusal(asked, 'resource.conflict');
      expect((await asked).body.error.message).toMatch(
        /^No posting times are set.* under Settings in the dashboard \(set_posting_times, PUT \/v1\/posting-times\)\.$/,
      );
    }
  });

  it('leaves out the times of requests that wait for a person', async () => {
    const { world, account, free } = await stage();
    const other = await secondAccount(world);
    const key = await leashedKey(world, 'ask');
    const ask = (name: string, input: Input) => callThrough(world, 'rest', name, input, { key });
    const moved = await schedule(world, account, '2026-02-01T07:00:00Z');
    const elsewhere = await schedule(world, other, '2026-02-01T07:00:00Z');
    const held = await ask('create_post', { text: 'Held', account_ids: [account.id], scheduled_at: TODAY });
    expect(held.body.status).toBe('held');
    await ask('create_post', { text: 'Other', account_ids: [other.id], scheduled_at: SUNDAY });
    const moves = [
      { post_id: moved.id, scheduled_at: FRIDAY },
      { post_id: elsewhere.id, scheduled_at: SATURDAY },
    ];
    expect((await ask('reschedule_posts', { posts: moves })).body.status).toBe('held');
    expect(await free({ count: 2 })).toEqual([SATURDAY, SUNDAY]);
    const person = { key: await dashboardToken(world) };
    const { etag } = (await callThrough(world, 'rest', 'get_action', { action_id: held.body.id }, person)).body;
    await callThrough(world, 'rest', 'deny_action', { action_id: held.body.id, etag }, person);
    expect(await free()).toEqual([TODAY]);
  });

  it('takes of such a request only the time of the account', async () => {
    const { world, account, free } = await stage();
    const other = await secondAccount(world);
    const key = await leashedKey(world, 'ask');
    const targets = [{ account_id: account.id, scheduled_at: FRIDAY }, { account_id: other.id }];
    const held = await callThrough(
      world,
      'rest',
      'create_post',
      { text: 'Held', targets, scheduled_at: TODAY },
      { key },
    );
    expect(held.body.status).toBe('held');
    expect(await free({ count: 2 })).toEqual([TODAY, SATURDAY]);
    expect(await free({ account_ids: [other.id] })).toEqual([FRIDAY]);
  });

  it('searches a year', async () => {
    const { world, account, free } = await stage([{ day: 'thu', time: '12:00' }]);
    const all = await free({ count: 50 });
    expect(all).toHaveLength(50);
    const rest = await free({ count: 50, after: all.at(-1) });
    expect(rest).toEqual(['2026-12-31T12:00:00.000Z', '2027-01-07T12:00:00.000Z', '2027-01-14T12:00:00.000Z']);
    expect(await free({ after: '2027-02-01T00:00:00Z' })).toEqual([]);
    expect(await free({ after: '9999-12-31T00:00:00Z' })).toEqual([]);
    for (const at of [...all, ...rest]) await schedule(world, account, at);
    expect(await free()).toEqual([]);
  });

  it('refuses accounts that the caller cannot see, and other input that makes no sense', async () => {
    const { world, account, list } = await stage();
    const other = await secondAccount(world);
    await expectRefusal(list({ account_ids: ['acc_none'] }), 'account.not_found', { id: 'acc_none' });
    const key = await world.newKey({ brand_ids: [account.brand_id] });
    expect((await list({}, key)).status).toBe(200);
    await expectRefusal(list({ account_ids: [account.id, other.id] }, key), 'account.not_found', { id: other.id });
    await expectRefusal(list({}, (await world.stranger()).key), 'account.not_found');
    for (const count of [0, 51, 1.5]) await expectInvalid(list({ count }), 'count');
    await expectInvalid(list({ after: 'tomorrow' }), 'after');
    await expectRequired(call(world, 'list_free_times', {}), 'account_ids');
    const mine = await callThrough(world, 'mcp', 'list_free_times', { account_ids: [account.id] });
    expect(mine.body.times).toHaveLength(1);
  });

  it('is for every limit that reads', async () => {
    const { world, list } = await stage();
    for (const preset of ['read', 'draft', 'ask', 'answer'])
      expect((await list({}, await leashedKey(world, preset))).status).toBe(200);
    const key = await world.newKey({ scopes: ['media:read'] });
    await expectRefusal(list({}, key), 'auth.insufficient_scope');
  });
});
