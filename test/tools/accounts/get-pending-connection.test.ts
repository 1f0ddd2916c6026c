import { describe, expect, test } from 'vitest';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { choiceWorld } from '../../harness/worlds/consent.ts';

const it = test.extend('choice', () => choiceWorld());

describe('get_pending_connection', () => {
  it('shows the profiles, again and again, for 30 minutes', async ({ choice: { world, connection_id } }) => {
    const first = await call(world, 'get_pending_connection', { connection_id });
    expect(first.body).toMatchObject({ connection_id, status: 'selection_required', platform: 'google' });
    expect(first.body.profiles).toHaveLength(2);
    world.clock.move(30 * 60_000 - 1);
    const later = await call(world, 'get_pending_connection', { connection_id });
    expect(later.body).toEqual(first.body);
    world.clock.move(1);
    await expectRefusal(call(world, 'get_pending_connection', { connection_id }), 'resource.not_found');
  });

  it('shows a limited key those of its brands alone', async ({ choice: { world, connection_id } }) => {
    const inside = await choiceWorld(world);
    const key = await world.newKey({ brand_ids: [world.brandId] });
    await expectRefusal(call(world, 'get_pending_connection', { connection_id }, { key }), 'resource.not_found');
    const { ok } = await call(world, 'get_pending_connection', { connection_id: inside.connection_id }, { key });
    expect(ok).toBe(true);
  });
});
