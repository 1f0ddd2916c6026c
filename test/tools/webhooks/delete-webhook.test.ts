import { describe, expect, it } from 'vitest';
import { makeWorld } from '../../harness/world.ts';
import { call, describeCallers, DOORS, expectRefusal } from '../front-door.ts';

describeCallers('delete_webhook', { to: 'webhooks:manage', brandKeys: 'refused', input: { webhook_id: 'whk_none' } });

describe.each(DOORS)('delete_webhook through %s', (via) => {
  it('ends what is pending, and is gone the second time', async () => {
    const world = await makeWorld();
    const receiver = await world.receive(['account.connected']);
    receiver.answer(500, 500);
    await world.connect();
    await world.settle();
    const webhook_id = receiver.id;
    const { status, body } = await call(world, via, 'delete_webhook', { webhook_id });
    expect([status ?? 200, body]).toEqual([200, { success: true, ok: true, id: webhook_id }]);
    const before = receiver.received.length;
    await world.pass(86_400_000);
    expect(receiver.received).toHaveLength(before);
    for (const name of ['delete_webhook', 'get_webhook', 'list_webhook_deliveries']) {
      await expectRefusal(call(world, via, name, { webhook_id }), 'resource.not_found', { id: webhook_id });
    }
    expect((await call(world, via, 'list_webhooks')).body.count).toBe(0);
  });
});
