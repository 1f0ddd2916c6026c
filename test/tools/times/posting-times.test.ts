import { describe, expect } from 'vitest';
import { leashedKey } from '../../harness/calls/leash.ts';
import { call, expectInvalid, expectRefusal, expectRequired, newBrand } from '../../harness/calls/operations.ts';
import { it } from '../../harness/world.ts';

const MORNING = { day: 'mon', time: '09:00' };
const EVENING = { day: 'mon', time: '18:30' };
const SUNDAY = { day: 'sun', time: '10:00' };

describe('posting times', () => {
  it('are none at first, and replaced as a whole: from Monday to Sunday, each once', async ({ world }) => {
    const none = { brand_id: null, timezone: 'UTC', inherited: false, times: [] };
    expect((await call(world, 'get_posting_times')).body).toEqual(none);
    const set = await call(world, 'set_posting_times', { times: [SUNDAY, EVENING, MORNING, SUNDAY] });
    expect([set.status, set.body]).toEqual([200, { ...none, times: [MORNING, EVENING, SUNDAY] }]);
    expect((await call(world, 'get_posting_times')).body).toEqual(set.body);
    await call(world, 'set_posting_times', { times: [EVENING] });
    await call(world, 'patch_me', { timezone: 'Europe/Berlin' });
    const changed = { ...none, timezone: 'Europe/Berlin', times: [EVENING] };
    expect((await call(world, 'get_posting_times')).body).toEqual(changed);
    expect((await call(world, 'set_posting_times', { times: [] })).body.times).toEqual([]);
    const { body: log } = await call(world, 'list_events', { category: 'api' });
    expect(log.events[0]).toMatchObject({ action: 'posting_times_changed', status: 'success' });
  });

  it('of a brand are those of the workspace until it has its own, and again when those are removed', async ({
    world,
  }) => {
    const brand_id = await newBrand(world);
    const ofBrand = async () => (await call(world, 'get_posting_times', { brand_id })).body;
    await call(world, 'set_posting_times', { times: [MORNING] });
    expect(await ofBrand()).toEqual({ brand_id, timezone: 'UTC', inherited: true, times: [MORNING] });
    await call(world, 'set_posting_times', { brand_id, times: [SUNDAY] });
    expect(await ofBrand()).toMatchObject({ inherited: false, times: [SUNDAY] });
    expect((await call(world, 'get_posting_times')).body.times).toEqual([MORNING]);
    expect((await call(world, 'set_posting_times', { brand_id, times: [] })).body).toMatchObject({
      inherited: true,
      times: [MORNING],
    });
    await call(world, 'set_posting_times', { brand_id, times: [SUNDAY] });
    expect((await world.rest(`DELETE /v1/brands/${brand_id}`)).status).toBe(200);
    await expectRefusal(call(world, 'get_posting_times', { brand_id }), 'brand.not_found', { id: brand_id });
    expect(await world.product.store.db.selectFrom('posting_times').select('brand_id').execute()).toEqual([
      { brand_id: null },
    ]);
  });

  it('are at most 100, on days and at times that exist', async ({ world }) => {
    const many = Array.from({ length: 101 }, (_, n) => ({
      day: 'tue',
      time: `${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`,
    }));
    expect((await call(world, 'set_posting_times', { times: many.slice(1) })).body.times).toHaveLength(100);
    await expectInvalid(call(world, 'set_posting_times', { times: many }), 'times');
    await expectRequired(call(world, 'set_posting_times', {}), 'times');
    for (const [wrong, field] of [
      [{ day: 'monday', time: '09:00' }, 'times.0.day'],
      [{ day: 'mon', time: '24:00' }, 'times.0.time'],
      [{ day: 'mon', time: '9:00' }, 'times.0.time'],
      [{ day: 'mon', time: '09:60' }, 'times.0.time'],
    ] as const)
      await expectInvalid(call(world, 'set_posting_times', { times: [wrong] }), field);
    await expectRefusal(call(world, 'set_posting_times', { times: [], brand_id: 'brd_none' }), 'brand.not_found');
    expect((await call(world, 'get_posting_times')).body.times).toHaveLength(100);
  });

  it('are unknown to other workspaces', async ({ world }) => {
    await call(world, 'set_posting_times', { times: [MORNING] });
    await call(world, 'set_posting_times', { times: [MORNING], brand_id: world.brandId });
    const { key } = await world.stranger();
    expect((await call(world, 'get_posting_times', {}, { key })).body.times).toEqual([]);
    const theirs = { brand_id: world.brandId };
    await expectRefusal(call(world, 'get_posting_times', theirs, { key }), 'brand.not_found');
    await expectRefusal(call(world, 'set_posting_times', { ...theirs, times: [] }, { key }), 'brand.not_found');
    expect((await call(world, 'get_posting_times', theirs)).body.times).toEqual([MORNING]);
  });

  it('are read by keys that read posts, and set by those without limits, which the audit has', async ({ world }) => {
    const other = await newBrand(world);
    const key = await world.newKey({ brand_ids: [world.brandId], scopes: ['posts:read', 'posts:write'] });
    expect((await call(world, 'get_posting_times', { brand_id: world.brandId }, { key })).status).toBe(200);
    await expectRefusal(call(world, 'get_posting_times', { brand_id: other }, { key }), 'brand.not_found');
    const set = { times: [MORNING] };
    await expectRefusal(call(world, 'set_posting_times', set, { key }), 'auth.insufficient_scope');
    for (const preset of ['read', 'draft', 'ask', 'answer']) {
      const limited = await leashedKey(world, preset);
      expect((await call(world, 'get_posting_times', {}, { key: limited })).status).toBe(200);
      await expectRefusal(call(world, 'set_posting_times', set, { key: limited }), 'auth.leash_denied');
    }
    await call(world, 'set_posting_times', set);
    const rows = await world.product.store.db
      .selectFrom('audit')
      .select(['act', 'verdict', 'status'])
      .where('tool', '=', 'set_posting_times')
      .where('verdict', '=', 'allow')
      .execute();
    expect(rows).toEqual([{ act: 'admin', verdict: 'allow', status: 200 }]);
  });
});
