import { DAY } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { delivered } from './delivered.ts';

describe('retry_webhook_delivery', () => {
  it('sends the same body as a new delivery, and leaves the first as it is', async ({ world }) => {
    const { receiver, input } = await delivered(world, 204);
    const before = (await call(world, 'get_webhook_delivery', input)).body;
    world.clock.move(1);
    const { status, body } = await call(world, 'retry_webhook_delivery', input);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      endpoint_id: receiver.id,
      event_type: 'account.connected',
      status: 'pending',
      attempt_count: 0,
      description: `Retry of ${input.delivery_id}`,
      payload: before.payload,
      attempts: [],
    });
    expect(body.id).not.toBe(input.delivery_id);
    await world.settle();
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[1]!.raw).toBe(receiver.received[0]!.raw);
    expect(receiver.received.map(({ headers }) => headers['x-service-delivery'])).toEqual([input.delivery_id, body.id]);
    expect((await call(world, 'get_webhook_delivery', input)).body).toEqual(before);
  });

  it('has ten attempts of its own', async ({ world }) => {
    const { receiver, input } = await delivered(world, ...Array<number>(60).fill(404));
    for (let round = 0; round < 10; round += 1) await world.pass(DAY);
    const failed = { status: 'failed', attempt_count: 10 };
    expect((await call(world, 'get_webhook_delivery', input)).body).toMatchObject(failed);
    expect(receiver.received).toHaveLength(10);
    const { body } = await call(world, 'retry_webhook_delivery', input);
    await world.settle();
    for (let round = 0; round < 10; round += 1) await world.pass(DAY);
    expect(receiver.received).toHaveLength(20);
    const again = { ...input, delivery_id: body.id };
    expect((await call(world, 'get_webhook_delivery', again)).body).toMatchObject(failed);
  });

  it('works on one that still waits', async ({ world }) => {
    const { input } = await delivered(world, 404);
    expect((await call(world, 'retry_webhook_delivery', input)).ok).toBe(true);
    await world.settle();
    expect((await call(world, 'get_webhook_delivery', input)).body.status).toBe('pending');
  });

  it('refuses a test delivery, and an endpoint that is switched off', async ({ world }) => {
    const { webhook_id, input } = await delivered(world, 204);
    const test = await call(world, 'test_webhook', { webhook_id, event_type: 'a', payload: {} });
    const tested = { webhook_id, delivery_id: test.body.delivery_id };
    await expectRefusal(call(world, 'retry_webhook_delivery', tested), 'resource.conflict');
    await call(world, 'update_webhook', { webhook_id, is_active: false });
    await expectRefusal(call(world, 'retry_webhook_delivery', input), 'resource.conflict');
    expect((await call(world, 'list_webhook_deliveries', { webhook_id })).body.count).toBe(2);
  });

  it('knows no delivery of that id, nor one of another endpoint', async ({ world }) => {
    const { input } = await delivered(world, 204);
    const { id: webhook_id } = await world.receive(['dm.sent']);
    for (const wrong of [
      { ...input, delivery_id: 'dlv_none' },
      { ...input, webhook_id },
    ])
      await expectRefusal(call(world, 'retry_webhook_delivery', wrong), 'resource.not_found', { resource: 'delivery' });
    const answer = call(world, 'retry_webhook_delivery', { ...input, webhook_id: 'whk_none' });
    await expectRefusal(answer, 'resource.not_found', { resource: 'webhook' });
  });
});
