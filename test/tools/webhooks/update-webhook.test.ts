import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectRefusal, INVALID } from '../../harness/calls/operations.ts';

describe('update_webhook', () => {
  it('replaces the events and moves what is pending to a new address', async ({ world }) => {
    const old = await world.receive(['account.connected']);
    const other = await world.receive(['post.failed']);
    old.answer(500, 500);
    await world.connect();
    await world.settle();
    world.clock.move(1);
    const { status, body } = await call(world, 'update_webhook', {
      webhook_id: old.id,
      url: other.url,
      events: ['post.failed', 'post.partial', 'post.failed'],
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: old.id,
      url: other.url,
      events: ['post.failed', 'post.partial'],
      is_active: true,
      created_at: '2026-01-15T09:00:00.000Z',
      updated_at: '2026-01-15T09:00:00.001Z',
    });
    await world.pass(40_000);
    expect(other.events()).toEqual(['account.connected']);
    await world.connect(1);
    await world.settle();
    expect(other.received).toHaveLength(1);
  });

  it('fails what is pending when switched off, and sends nothing of that time later', async ({ world }) => {
    const receiver = await world.receive(['account.connected']);
    receiver.answer(500, 500);
    const webhook_id = receiver.id;
    await world.connect(0);
    await world.settle();
    const off = await call(world, 'update_webhook', { webhook_id, is_active: false });
    expect(off.body.is_active).toBe(false);
    await world.connect(1);
    await world.settle();
    const before = receiver.received.length;
    expect((await call(world, 'update_webhook', { webhook_id, is_active: true })).body.is_active).toBe(true);
    await world.pass(86_400_000);
    expect(receiver.received).toHaveLength(before);
    const { count, data } = (await call(world, 'list_webhook_deliveries', { webhook_id })).body;
    expect([count, data[0].status]).toEqual([1, 'failed']);
    const detail = await call(world, 'get_webhook_delivery', { webhook_id, delivery_id: data[0].id });
    expect(detail.body.error_message).toBe('endpoint inactive');
  });

  it.for([
    [{}, 'validation.body_invalid', {}],
    [{ url: 'http://hooks.example.org/', events: [] }, INVALID, { field: 'url' }],
    [{ url: 'https://192.168.0.1/' }, INVALID, { field: 'url' }],
    [{ events: [] }, INVALID, { field: 'events' }],
    [{ events: ['none'] }, INVALID, { field: 'events' }],
    [{ is_active: 'perhaps' }, INVALID, { field: 'is_active' }],
  ] as const)('refuses %j with %s', async ([patch, code, meta], { world }) => {
    const receiver = await world.receive(['dm.sent']);
    await expectRefusal(call(world, 'update_webhook', { webhook_id: receiver.id, ...patch }), code, meta);
    expect((await call(world, 'list_webhooks')).body.data[0]).toMatchObject({ url: receiver.url, events: ['dm.sent'] });
  });

  it('knows no endpoint of that id', async ({ world }) => {
    const answer = call(world, 'update_webhook', { webhook_id: 'whk_none', is_active: true });
    await expectRefusal(answer, 'resource.not_found', { resource: 'webhook' });
  });
});
