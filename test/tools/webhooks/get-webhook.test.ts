import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';

const DAY = 86_400_000;

describe('get_webhook', () => {
  it('hints at the secret and counts what became of deliveries', async ({ world }) => {
    const receiver = await world.receive(['account.connected']);
    receiver.answer(204, 400, 204);
    await world.connect(0);
    await world.settle();
    await world.connect(1);
    await world.settle();
    const webhook_id = receiver.id;
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

  it('knows no endpoint of that id', async ({ world }) => {
    const answer = call(world, 'get_webhook', { webhook_id: 'whk_none' });
    await expectRefusal(answer, 'resource.not_found', { resource: 'webhook', id: 'whk_none' });
  });
});
