import { DAY } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call } from '../../harness/calls/operations.ts';
import { delivered } from './delivered.ts';

describe('get_webhook', () => {
  it('hints at the secret and counts what became of deliveries', async ({ world }) => {
    const { receiver, webhook_id } = await delivered(world, 204, 400, 204);
    await world.connect(1);
    await world.settle();
    const { body } = await call(world, 'get_webhook', { webhook_id });
    expect(body).toEqual({
      id: webhook_id,
      url: receiver.url,
      events: ['account.connected'],
      is_active: true,
      created_at: '2026-01-15T09:00:00.000Z',
      updated_at: '2026-01-15T09:00:00.000Z',
      secret_hint: `whsec_...${receiver.secret.slice(-4)}`,
      stats: { last_24h: { delivered: 1, failed: 0 }, last_7d: { delivered: 1, failed: 0 } },
    });
    world.clock.move(2 * DAY);
    expect((await call(world, 'get_webhook', { webhook_id })).body.stats).toMatchObject({
      last_24h: { delivered: 0, failed: 0 },
      last_7d: { delivered: 1 },
    });
  });
});
