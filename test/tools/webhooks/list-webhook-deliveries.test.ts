import { describe, expect } from 'vitest';
import { it, type World } from '../../harness/world.ts';
import { call, expectInvalid } from '../../harness/calls/operations.ts';

/** Three tests that arrived, one that did not, and one event that waits for its second attempt. */
async function history(world: World) {
  const receiver = await world.receive(['account.connected']);
  const webhook_id = receiver.id;
  for (const answer of [204, 204, 400, 204]) {
    receiver.answer(answer);
    world.clock.move(1);
    await world.rest(`POST /v1/webhooks/${webhook_id}/test`, { event_type: `test.${answer}`, payload: {} });
  }
  world.clock.move(1);
  receiver.answer(404);
  await world.connect();
  await world.settle();
  return webhook_id;
}

describe('list_webhook_deliveries', () => {
  it('lists newest first and counts all that match', async ({ world }) => {
    const webhook_id = await history(world);
    const list = async (query: object) => (await call(world, 'list_webhook_deliveries', { webhook_id, ...query })).body;
    const whole = await list({});
    expect(whole).toMatchObject({
      count: 5,
      next_cursor: '',
      pagination: { has_more: false, next_cursor: '', limit: 50 },
    });
    const statuses = whole.data.map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(['pending', 'delivered', 'failed', 'delivered', 'delivered']);
    expect(whole.data[0]).toEqual({
      id: expect.stringMatching(/^dlv_/),
      event_type: 'account.connected',
      status: 'pending',
      attempt_count: 1,
      created_at: expect.stringMatching(/Z$/),
      description: null,
      response_status_code: 404,
      response_duration_ms: expect.any(Number),
    });
    expect(await list({ status: 'delivered' })).toMatchObject({ count: 3 });
    expect(await list({ event_type: 'test.204' })).toMatchObject({ count: 3 });
    expect(await list({ event_type: 'test.204', status: 'failed' })).toMatchObject({ count: 0, data: [] });

    const first = await list({ status: 'delivered', limit: 2 });
    // The cursor knows the filter it belongs to.
    const last = await list({ cursor: first.next_cursor, limit: 2 });
    expect([first.count, first.data.length, last.count, last.data.length, last.next_cursor]).toEqual([3, 2, 3, 1, '']);
  });

  it.for([
    [{ status: 'lost' }, 'status'],
    [{ limit: 0 }, 'limit'],
    [{ cursor: 'nonsense' }, 'cursor'],
  ] as const)('refuses %j', async ([query, field], { shared: world }) => {
    const { id: webhook_id } = await world.receive(['dm.sent']);
    await expectInvalid(call(world, 'list_webhook_deliveries', { webhook_id, ...query }), field);
  });

  it('refuses the cursor of another endpoint or filter', async ({ world }) => {
    const webhook_id = await history(world);
    const other = await world.receive(['dm.sent']);
    const { next_cursor: cursor } = (await call(world, 'list_webhook_deliveries', { webhook_id, limit: 1 })).body;
    for (const input of [
      { webhook_id: other.id, cursor },
      { webhook_id, cursor, status: 'failed' },
    ])
      await expectInvalid(call(world, 'list_webhook_deliveries', input), 'cursor');
  });
});
