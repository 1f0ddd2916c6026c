import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { block, call, expectRefusal } from '../../harness/calls/operations.ts';
import { publish } from '../../harness/calls/rest.ts';

const since = '2026-01-15T09:00:00Z';

describe('replay_webhook', () => {
  it('sends what was recorded, oldest first, also of a time without endpoint or subscription', async ({ world }) => {
    await world.connect(0);
    world.clock.move(1000);
    await world.connect(1);
    const receiver = await world.receive(['account.connected']);
    world.clock.move(1000);
    const webhook_id = receiver.id;
    const { status, body } = await call(world, 'replay_webhook', { webhook_id, since });
    expect(status).toBe(202);
    expect(body).toEqual({ replayed: 2, since: '2026-01-15T09:00:00.000Z', until: '2026-01-15T09:00:02.000Z' });
    await world.settle();
    const people = world.product.sandbox!.people().map(({ handle }) => handle);
    expect(receiver.received.map(({ body: sent }) => sent.data['username'])).toEqual(people.slice(0, 2));
    const { data } = (await call(world, 'list_webhook_deliveries', { webhook_id })).body;
    for (const { description } of data) expect(description).toMatch(/^Replay of evt_/);
  });

  it('keeps to the span and the events asked for', async ({ world }) => {
    const account = await world.connect(0);
    world.clock.move(1000);
    const { body: post } = await publish(world, account.id, { text: 'a' });
    world.clock.move(1000);
    await world.connect(1);
    const { id: webhook_id } = await world.receive(['dm.sent']);
    const replayed = async (input: object) =>
      (await call(world, 'replay_webhook', { webhook_id, since, ...input })).body.replayed;
    expect(post.status).toBe('published');
    expect(await replayed({})).toBe(0);
    expect(await replayed({ events: ['account.connected'] })).toBe(2);
    expect(await replayed({ events: ['account.connected', 'post.published'] })).toBe(3);
    expect(await replayed({ events: ['account.connected'], until: '2026-01-15T10:00:00+01:00' })).toBe(1);
    expect(await replayed({ events: ['account.connected'], since: '2026-01-15T09:00:01Z' })).toBe(1);
    await world.settle();
  });

  it('has nothing of a time that was past due', async ({ world, account }) => {
    await world.rest('POST /v1/posts', { text: 'a', account_ids: [account.id], scheduled_at: '2026-01-15T10:00:00Z' });
    const { id: webhook_id } = await world.receive(['account.disconnected', 'post.published', 'post.failed']);
    await block(world);
    await world.pass(3_600_000);
    await world.product.store.write(({ db }) => db.updateTable('workspaces').set({ blocked_at: null }).execute());
    world.product.callers.forget();
    expect((await call(world, 'replay_webhook', { webhook_id, since })).body.replayed).toBe(0);
  });

  it.for([
    [{}, 'validation.field_required', 'since'],
    [{ since: 'yesterday' }, 'validation.field_invalid', 'since'],
    [{ since: '2026-01-15T09:00:01Z', until: since }, 'validation.field_invalid', 'since'],
    [{ since, until: 'later' }, 'validation.field_invalid', 'until'],
    [{ since, events: ['none'] }, 'validation.field_invalid', 'events'],
  ] as const)('refuses %j with %s of %s', async ([input, code, field], { shared: world }) => {
    const { id: webhook_id } = await world.receive(['dm.sent']);
    await expectRefusal(call(world, 'replay_webhook', { webhook_id, ...input }), code, { field });
  });

  it('refuses an endpoint that is switched off', async ({ world }) => {
    const { id: webhook_id } = await world.receive(['dm.sent']);
    await call(world, 'update_webhook', { webhook_id, is_active: false });
    await expectRefusal(call(world, 'replay_webhook', { webhook_id, since }), 'resource.conflict');
  });
});
