import { HOUR } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import type { LogEntry } from '#db/store/tx.ts';
import { it, makeWorld, type World } from '../../harness/world.ts';
import { call, expectInvalid, onFreePlan } from '../../harness/calls/operations.ts';
import { log } from './entries.ts';

/** Entries an hour apart, the newest last. */
async function withEntries(...entries: readonly Partial<LogEntry>[]): Promise<World> {
  const world = await makeWorld();
  await addEntries(world, entries);
  return world;
}

async function addEntries(world: World, entries: readonly Partial<LogEntry>[]): Promise<void> {
  for (const [n, one] of entries.entries()) {
    world.clock.move(HOUR);
    await log(world, { category: 'post', summary: `${n}`, ...one });
  }
}

const at = (world: World, hours: number) => new Date(world.clock.now() + hours * HOUR).toISOString();

describe('list_events', () => {
  const list = async (world: World, input: object = {}) => (await call(world, 'list_events', { ...input })).body;
  const told = async (world: World, input: object) =>
    (await list(world, input)).events.map(({ summary }: { summary: string }) => summary);

  it('lists what happened, newest first', async ({ world }) => {
    world.clock.move(1);
    const account = await world.connect();
    world.clock.move(1);
    await log(world, {
      category: 'webhook',
      action: 'delivery',
      status: 'failed',
      resourceId: 'whk_1',
      summary: 'It failed',
      durationMs: 12,
      statusCode: 503,
      errorCategory: 'receiver',
      errorMessage: 'HTTP 503',
      metadata: { attempts: 10 },
    });
    const { events, data, ...rest } = await list(world, { limit: 2 });
    expect(data).toEqual(events);
    expect(rest).toMatchObject({ pagination: { has_more: true, limit: 2 }, retention_days: 90 });
    expect(events).toEqual([
      {
        id: expect.stringMatching(/^log_/),
        category: 'webhook',
        action: 'delivery',
        status: 'failed',
        platform: null,
        account_id: null,
        resource_id: 'whk_1',
        summary: 'It failed',
        created_at: new Date(world.clock.now()).toISOString(),
        duration_ms: 12,
        status_code: 503,
        error_category: 'receiver',
        error_message: 'HTTP 503',
        metadata: { attempts: 10 },
      },
      {
        id: expect.stringMatching(/^log_/),
        category: 'account',
        action: 'connected',
        status: 'success',
        platform: 'bluesky',
        account_id: account.id,
        resource_id: account.id,
        summary: expect.stringContaining(account.username),
        created_at: new Date(world.clock.now() - 1).toISOString(),
        duration_ms: null,
        status_code: null,
        error_category: null,
        error_message: null,
        metadata: { event_id: expect.stringMatching(/^evt_/), event: 'account.connected' },
      },
    ]);
  });

  it('is filtered', async ({ world, account: { id: accountId } }) => {
    await addEntries(world, [
      { platform: 'bluesky', accountId, resourceId: 'post_1' },
      { status: 'failed', category: 'webhook', action: 'delivery', resourceId: 'whk_1' },
      { status: 'pending', category: 'inbox', platform: 'zalo', accountId: 'acc_2' },
      { status: 'skipped', category: 'api' },
      { category: 'account' },
    ]);
    const filters: readonly (readonly [object, readonly string[]])[] = [
      [{ category: ['post', 'api'] }, ['3', '0']],
      [{ category: ['inbox'], status: 'pending' }, ['2']],
      [{ category: ['inbox'], status: 'failed' }, []],
      [{ status: 'success' }, ['4', '0']],
      [{ status: 'ok' }, ['4', '0']],
      [{ status: 'failed' }, ['1']],
      [{ platform: 'zalo' }, ['2']],
      [{ account_id: accountId }, ['0']],
      [{ resource_id: 'whk_1' }, ['1']],
      [{ action: 'delivery' }, ['1']],
      [{ from: at(world, -2), to: at(world, -1) }, ['3', '2']],
      [{ to: at(world, -4) }, ['0']],
      [{ from: at(world, 0) }, ['4']],
      [{ from: at(world, -1), to: at(world, -2) }, []],
    ];
    for (const [filter, expected] of filters)
      expect([filter, await told(world, { ...filter, from: at(world, -4), ...filter })]).toEqual([filter, expected]);
  });

  it('is paged, and a cursor knows its filters', async () => {
    const world = await withEntries(...Array.from({ length: 5 }, () => ({})), { category: 'api' });
    const first = await list(world, { category: ['post'], status: 'ok', limit: 2 });
    const second = await list(world, { cursor: first.next_cursor, limit: 2 });
    const third = await list(world, { cursor: second.next_cursor, category: ['post'], status: 'success', limit: 2 });
    const listed = [first, second, third].flatMap(({ data }) => data.map((one: { summary: string }) => one.summary));
    expect(listed).toEqual(['4', '3', '2', '1', '0']);
    expect(third).toMatchObject({ pagination: { has_more: false, next_cursor: '' }, next_cursor: '' });
    expect((await list(world, { limit: 500 })).pagination.limit).toBe(100);
    for (const input of [{ cursor: 'nonsense' }, { cursor: first.next_cursor, status: 'failed' }])
      await expectInvalid(call(world, 'list_events', input), 'cursor');
    expect((await call(world, 'list_brands')).ok).toBe(true);
    await expectInvalid(call(world, 'list_posts', { cursor: first.next_cursor }), 'cursor');
  });

  it('shows nothing that is older than the plan keeps, swept or not', async () => {
    const world = await withEntries({});
    await onFreePlan(world);
    expect(await list(world)).toMatchObject({ retention_days: 1 });
    // Whole days are kept: that of the entry ends 15 hours after nine o'clock.
    world.clock.move(37 * HOUR);
    expect(await told(world, {})).toContain('0');
    world.clock.move(HOUR);
    expect(await told(world, { from: '2026-01-01T00:00:00Z' })).toEqual([]);
  });

  it.for([
    [{ category: ['news'] }, 'category.0'],
    [{ status: 'lost' }, 'status'],
    [{ platform: 'myspace' }, 'platform'],
    [{ from: '2026-01-15' }, 'from'],
    [{ to: 'yesterday' }, 'to'],
    [{ limit: 0 }, 'limit'],
  ] as const)('refuses %j', async ([input, field], { shared: world }) => {
    await expectInvalid(call(world, 'list_events', input), field);
  });

  it('shows nobody the log of others', async () => {
    const world = await withEntries({});
    const { key } = await world.stranger();
    const { events } = (await call(world, 'list_events', {}, { key })).body;
    expect(events.map((one: any) => one.summary)).not.toContain('0');
  });
});
