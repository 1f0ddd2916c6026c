import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectRefusal, INVALID } from '../../harness/calls/operations.ts';
import { delivered } from './delivered.ts';

describe('update_webhook', () => {
  it('replaces the events and moves what is pending to a new address', async ({ world }) => {
    const { receiver: old } = await delivered(world, 500, 500);
    const other = await world.receive(['post.failed']);
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
    const { receiver, webhook_id, input } = await delivered(world, 500, 500);
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
    expect((await call(world, 'get_webhook_delivery', input)).body.error_message).toBe('endpoint inactive');
  });

  it.for([
    [{}, 'validation.body_invalid', {}],
    [{ url: 'http://hooks.example.org/', events: [] }, INVALID, { field: 'url' }],
    [{ url: 'https://192.168.0.1/' }, INVALID, { field: 'url' }],
    [{ url: 'https://hooks.example.org:0/' }, INVALID, { field: 'url' }],
    [{ events: [] }, INVALID, { field: 'events' }],
    [{ events: ['none'] }, INVALID, { field: 'events' }],
    [{ is_active: 'perhaps' }, INVALID, { field: 'is_active' }],
  ] as const)('refuses %j with %s', async ([patch, code, meta], { world }) => {
    const receiver = await world.receive(['dm.sent']);
    await expectRefusal(call(world, 'update_webhook', { webhook_id: receiver.id, ...patch }), code, meta);
    expect((await call(world, 'list_webhooks')).body.data[0]).toMatchObject({ url: receiver.url, events: ['dm.sent'] });
  });
});
