import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { delivered } from './delivered.ts';

describe('get_webhook_delivery', () => {
  it('shows what was sent and every attempt, oldest first', async ({ world }) => {
    const { receiver, webhook_id, input } = await delivered(world, 404, 410, 204);
    const waiting = (await call(world, 'get_webhook_delivery', input)).body;
    expect(waiting).toMatchObject({ status: 'pending', attempts: [{ status_code: 404 }] });
    const next = Date.parse(waiting.next_attempt_at) - Date.parse(waiting.attempts[0].created_at);
    expect(next).toBeGreaterThan(25_000);
    expect(next).toBeLessThan(35_000);
    await world.pass(40_000);
    await world.pass(120_000);
    const { body } = await call(world, 'get_webhook_delivery', input);
    expect(body).toMatchObject({
      id: input.delivery_id,
      endpoint_id: webhook_id,
      event_type: 'account.connected',
      status: 'delivered',
      attempt_count: 3,
      next_attempt_at: null,
      response_status_code: 204,
    });
    expect(body.payload).toEqual(JSON.parse(receiver.received[0]!.raw));
    expect(new Set(receiver.received.map(({ raw }) => raw)).size).toBe(1);
    expect(body.attempts.map((one: Record<string, unknown>) => [one['attempt_number'], one['status_code']])).toEqual([
      [1, 404],
      [2, 410],
      [3, 204],
    ]);
    const lower = (headers: object) => Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    for (const [at, { headers }] of receiver.received.entries())
      expect(headers).toMatchObject(Object.fromEntries(lower(body.attempts[at].request_headers)));
  });

  it('knows no delivery of that id, nor one of another endpoint', async ({ world }) => {
    const { id: webhook_id } = await world.receive(['account.connected']);
    const { input } = await delivered(world);
    for (const delivery_id of ['dlv_none', input.delivery_id]) {
      const answer = call(world, 'get_webhook_delivery', { webhook_id, delivery_id });
      await expectRefusal(answer, 'resource.not_found', { resource: 'delivery', id: delivery_id });
    }
    const answer = call(world, 'get_webhook_delivery', { ...input, webhook_id: 'whk_none' });
    await expectRefusal(answer, 'resource.not_found', { resource: 'webhook', id: 'whk_none' });
  });
});
