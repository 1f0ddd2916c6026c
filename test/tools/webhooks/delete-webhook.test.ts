import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { delivered } from './delivered.ts';

describe('delete_webhook', () => {
  it('ends what is pending, and is gone the second time', async ({ world }) => {
    const { receiver, webhook_id } = await delivered(world, 500, 500);
    const { status, body } = await call(world, 'delete_webhook', { webhook_id });
    expect([status, body]).toEqual([200, { success: true, ok: true, id: webhook_id }]);
    const before = receiver.received.length;
    await world.pass(86_400_000);
    expect(receiver.received).toHaveLength(before);
    for (const name of ['delete_webhook', 'get_webhook', 'list_webhook_deliveries'])
      await expectRefusal(call(world, name, { webhook_id }), 'resource.not_found', { id: webhook_id });
    expect((await call(world, 'list_webhooks')).body.count).toBe(0);
  });
});
