import { SECOND, DAY } from '#kernel/clock.ts';
import { expect, test } from 'vitest';
import { makeSealer } from '#kernel/seal.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeWorld, recount, START } from '../../harness/worlds/delivery.ts';

describeStores('deliveries whose endpoint changes', (stores) => {
  const it = test.extend('world', () => makeWorld(stores)).extend('id', ({ world }) => world.endpoint('host'));

  it('fail when their endpoint is switched off, and are not sent when it is on again', async ({ world, id }) => {
    const { delivery, network } = world;
    const gate = await world.occupy('host');

    expect(await world.update(id, { is_active: false })).toMatchObject({ is_active: false });
    gate.answer(200);
    await delivery.idle();
    const rows = await world.rows(id);
    expect(rows.every((row) => row.status === 'failed' && row.error_message === 'endpoint inactive')).toBe(true);
    await world.emit();
    expect(await world.rows(id)).toHaveLength(20);

    await world.update(id, { is_active: true });
    world.clock.move(DAY);
    await delivery.idle();
    expect(network.sent).toHaveLength(16);
    const { counted, real } = await recount(world.store, id);
    expect(counted).toEqual(real);
    await world.emit();
    network.receivers.clear();
    await delivery.idle();
    expect(network.sent).toHaveLength(17);
  });

  it('left pending at an endpoint that is off are failed by the engine', async ({ world, id }) => {
    await world.emit(2);
    await world.store.write(({ db }) => db.updateTable('endpoints').set({ is_active: 0 }).execute());
    await world.delivery.idle();
    expect(world.network.sent).toEqual([]);
    expect((await world.rows(id)).map((row) => row.status)).toEqual(['failed', 'failed']);
  });

  it('go with their endpoint', async ({ world, id }) => {
    const { delivery, authority, clock } = world;
    const gate = await world.occupy('host');
    expect(await delivery.endpoints.remove(authority, id)).toEqual({ ok: true, success: true, id });
    expect(await world.rows(id)).toEqual([]);
    gate.answer(400);
    await delivery.idle();
    expect(await world.store.db.selectFrom('delivery_attempts').selectAll().execute()).toEqual([]);
    await expect(delivery.endpoints.remove(authority, id)).rejects.toMatchObject({ code: 'resource.not_found' });
    await world.emit();
    expect(await world.rows(id)).toEqual([]);

    clock.move(61 * SECOND);
    while ((await delivery.sweep()) > 0);
    expect(await world.store.db.selectFrom('endpoints').selectAll().execute()).toEqual([]);
  });

  it('go to the new address once it has changed', async ({ world }) => {
    const id = await world.answering('old', () => 400);
    await world.deliver();
    await world.update(id, { url: 'https://new/hook' });
    world.clock.move(30 * SECOND);
    await world.delivery.idle();
    expect(world.network.sent.map(({ url }) => url)).toEqual(['https://old/hook', 'https://new/hook']);
  });

  it('start afresh at a new address, whatever the old one did', async ({ world }) => {
    const id = await world.answering('old', () => 400);
    await world.deliver();
    await world.update(id, { url: 'https://new/hook' });
    const gate = await world.occupy('new');
    world.network.receivers.clear();
    gate.answer(200);
    await world.delivery.idle();
  });

  it('are not made while the workspace is past due; older ones wait', async ({ world, id }) => {
    const block = (blocked_at: number | null) =>
      world.store.write(({ db }) => db.updateTable('workspaces').set({ blocked_at }).execute());
    await world.emit();
    await block(START);
    await world.deliver();
    expect(world.network.sent).toEqual([]);
    await block(null);
    await world.delivery.idle();
    expect(await world.rows(id)).toMatchObject([{ status: 'delivered' }]);
    expect(world.network.sent).toHaveLength(1);
  });

  it('whose event is no longer kept fail without a request', async ({ world, id }) => {
    await world.emit();
    await world.store.write(({ db }) => db.deleteFrom('events').execute());
    await world.delivery.idle();
    expect(world.network.sent).toEqual([]);
    expect(await world.rows(id)).toMatchObject([{ status: 'failed', error_message: 'the event is no longer kept' }]);
  });

  it('that cannot be signed fail alone', async ({ world }) => {
    const id = await world.endpoint('sealed');
    await world.endpoint('fine');
    const secret = makeSealer(['cd'.repeat(32)]).seal('x', 'elsewhere');
    await world.store.write(({ db }) => db.updateTable('endpoints').set({ secret }).where('id', '=', id).execute());
    await world.deliver();
    expect(world.network.sent.map(({ host }) => host)).toEqual(['fine']);
    expect(await world.rows(id)).toMatchObject([{ status: 'pending', error_message: 'the request could not be made' }]);
  });
});
