import { HOUR } from '#kernel/clock.ts';
import { describe, expect, test } from 'vitest';
import { makeWorld, type World } from '../../harness/world.ts';
import { call, expectInvalid, onFreePlan } from '../../harness/calls/operations.ts';
import { log } from './entries.ts';
import { upset } from '../../harness/platforms/bluesky-people.ts';

const it = test.extend('world', () => quietWorld());

/** A world whose own beginnings lie two days back. */
async function quietWorld(): Promise<World> {
  const world = await makeWorld();
  world.clock.move(60 * HOUR);
  return world;
}

describe('events_summary', () => {
  const sum = async (world: World, input: object = {}) => (await call(world, 'events_summary', { ...input })).body;

  it('counts the last day beside the one before', async ({ world }) => {
    expect(await sum(world)).toEqual({
      total: 0,
      total_previous: 0,
      failed: 0,
      by_category: { post: 0, webhook: 0, inbox: 0, api: 0, account: 0 },
      by_error_category: {},
      inbox_breakdown: { comment: 0, dm: 0, review: 0, mention: 0 },
      retention_days: 90,
    });
    await log(world, { status: 'failed', errorCategory: 'validation' });
    await log(world, {});
    world.clock.move(24 * HOUR);
    await log(world, { category: 'inbox', kind: 'dm' });
    await log(world, { category: 'inbox', kind: 'dm' });
    await log(world, { category: 'inbox', kind: 'comment' });
    await log(world, { category: 'webhook', status: 'failed', errorCategory: 'network' });
    world.clock.move(1);
    await log(world, { category: 'webhook', status: 'failed', errorCategory: 'network' });
    await log(world, { category: 'post', status: 'skipped', errorCategory: 'quota' });
    expect(await sum(world)).toEqual({
      total: 6,
      total_previous: 2,
      failed: 2,
      by_category: { post: 1, webhook: 2, inbox: 3, api: 0, account: 0 },
      by_error_category: { network: 2, quota: 1 },
      inbox_breakdown: { comment: 1, dm: 2, review: 0, mention: 0 },
      retention_days: 90,
    });
  });

  it('counts the span asked for beside one of the same length', async ({ world }) => {
    const start = world.clock.now();
    for (let hour = 0; hour < 10; hour += 1) {
      await log(world, {});
      world.clock.move(HOUR);
    }
    const at = (hours: number) => new Date(start + hours * HOUR).toISOString();
    expect(await sum(world, { from: at(5), to: at(8) })).toMatchObject({ total: 4, total_previous: 3 });
    expect(await sum(world, { from: at(2) })).toMatchObject({ total: 8, total_previous: 2 });
    expect(await sum(world, { to: at(3) })).toMatchObject({ total: 4, total_previous: 0 });
    expect(await sum(world, { from: at(4), to: at(4) })).toMatchObject({ total: 1, total_previous: 0 });
  });

  it('counts the day before an end that is given alone', async ({ world }) => {
    await log(world, {});
    const to = new Date(world.clock.now()).toISOString();
    world.clock.move(30 * HOUR);
    expect(await sum(world, { to })).toMatchObject({ total: 1, total_previous: 0 });
  });

  it('counts nothing that is older than the plan keeps', async ({ world }) => {
    await log(world, {});
    await onFreePlan(world);
    const long = { from: '2025-01-01T00:00:00Z' };
    expect(await sum(world, long)).toMatchObject({ total: 1, retention_days: 1 });
    world.clock.move(72 * HOUR);
    await log(world, {});
    expect(await sum(world, long)).toMatchObject({ total: 1, total_previous: 0 });
    expect(await sum(world)).toMatchObject({ total: 1, total_previous: 0 });
  });

  it('counts the failures of posts by their cause', async ({ world }) => {
    const account = await world.connect();
    upset(world, 'revoked');
    await world.rest('POST /v1/posts', { text: 'never', account_ids: [account.id], publish_now: true });
    await world.settle();
    const { by_error_category, by_category, failed } = await sum(world);
    expect(by_category).toMatchObject({ post: 1, account: 2 });
    expect(failed).toBe(2);
    expect(Object.values(by_error_category)).toEqual([1]);
  });

  it('refuses a span that ends before it begins', async () => {
    const world = await makeWorld();
    const answer = call(world, 'events_summary', { from: '2026-01-15T09:00:00Z', to: '2026-01-15T08:59:59Z' });
    await expectInvalid(answer, 'from');
    const { body } = await call(world, 'events_summary', { from: '2026-01-15T09:00:01Z' });
    expect(body.error.message).toMatch(/^from is later than now\./);
  });
});
