import { SECOND } from '#kernel/clock.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { describeStores } from '../../harness/stores/stores.ts';
import { held, makeWorld, recount, secondProcess, until } from '../../harness/worlds/delivery.ts';

const LEASE = 30 * SECOND;

describeStores('deliveries that a process dies with', { kinds: ['file', 'postgres'] }, (stores) => {
  const it = test.extend('world', () => makeWorld(stores)).extend('id', ({ world }) => world.endpoint('host'));

  it('are sent again, as the same attempt, when the process that sent them is gone', async ({ world, id }) => {
    const gate = await world.occupy('host', 1);

    const other = await secondProcess(stores, world);
    world.clock.move(LEASE - 1);
    await other.idle();
    await world.delivery.tick();
    expect(world.network.sent).toHaveLength(1);
    world.network.receivers.set('host', () => 200);
    world.clock.move(1);
    // Its own attempt is still under way: not even an ended lease makes a process send twice.
    expect(await world.delivery.tick()).toBe(0);
    await other.idle();
    expect(world.network.sent).toHaveLength(2);
    const after = await world.rows(id);
    expect(after).toMatchObject([{ status: 'delivered', attempt_count: 1 }]);

    gate.answer(500);
    await world.delivery.idle();
    expect(await world.rows(id)).toEqual(after);
    expect((await other.deliveries.get(world.authority, id, after[0]!.id)).attempts).toHaveLength(1);
  });

  it('do not take the answer of a sender whose lease was lost', async ({ world, id }) => {
    const late = await world.occupy('host', 1);
    world.clock.move(LEASE);
    const second = held();
    world.network.receivers.set('host', second.receiver);
    const other = await secondProcess(stores, world);
    await other.tick();
    await until(() => second.waiting.length === 1);

    late.answer(400);
    await world.delivery.idle();
    expect(await world.rows(id)).toMatchObject([{ status: 'pending', attempt_count: 0, interrupted: 1 }]);
    second.answer(200);
    await other.idle();
    const [row] = await world.rows(id);
    expect(row).toMatchObject({ status: 'delivered', attempt_count: 1 });
    expect((await other.deliveries.get(world.authority, id, row!.id)).attempts).toMatchObject([{ status_code: 200 }]);
  });

  it('are shared by two processes without being sent twice', async ({ world }) => {
    const other = await secondProcess(stores, world);
    const ids = await Promise.all(['a', 'b', 'c'].map((host) => world.endpoint(host)));
    await world.emit(60);
    await Promise.all([world.delivery.idle(), other.idle()]);
    await world.delivery.idle();
    const sent = world.network.sent.map(({ headers }) => headers!['X-Service-Delivery']);
    expect(sent).toHaveLength(180);
    expect(new Set(sent).size).toBe(180);
    for (const id of ids) {
      expect((await world.rows(id)).every((row) => row.status === 'delivered' && row.attempt_count === 1)).toBe(true);
      const { counted, real } = await recount(world.store, id);
      expect(counted).toEqual(real);
    }
  });

  it.for(['delivery.claimed', 'delivery.sent'])('survive a crash at %s', async (point, { world, id }) => {
    const crash = (at: string) => {
      if (at === point) throw new Error('crash');
    };
    const dying = await secondProcess(stores, world, { crash });
    await world.emit();
    await dying.idle();
    expect(await world.rows(id)).toMatchObject([{ status: 'pending', attempt_count: 0 }]);
    world.clock.move(LEASE);
    await world.delivery.idle();
    expect(await world.rows(id)).toMatchObject([{ status: 'delivered', attempt_count: 1, interrupted: 0 }]);
    expect(world.network.sent).toHaveLength(point === 'delivery.sent' ? 2 : 1);
  });

  it('that kill their sender three times count that attempt as failed', async ({ world, id }) => {
    const crash = (at: string) => {
      if (at === 'delivery.sent') throw new Error('crash');
    };
    const dying = await secondProcess(stores, world, { crash });
    await world.emit();
    for (let i = 0; i < 4; i += 1) {
      await dying.idle();
      world.clock.move(LEASE);
    }
    expect(world.network.sent).toHaveLength(3);
    expect(await world.rows(id)).toMatchObject([
      { status: 'pending', attempt_count: 1, error_message: 'interrupted', interrupted: 0 },
    ]);
    await world.delivery.idle();
    expect(await world.rows(id)).toMatchObject([{ status: 'delivered', attempt_count: 2 }]);
  });

  it('keep their results when the store fails for a moment', async ({ world, id }) => {
    let broken = 0;
    const write = ((fn) => {
      if (world.network.sent.length > 0 && broken++ < 2) return Promise.reject(new Error('disk'));
      return world.store.write(fn);
    }) as typeof world.store.write;
    const delivery = await secondProcess(stores, world, { store: { ...world.store, write } });
    await world.emit();
    const ending = delivery.idle();
    for (let tries = 1; tries <= 2; tries += 1) {
      await until(() => broken === tries);
      await turn();
      world.clock.move(SECOND);
    }
    await ending;
    expect(world.network.sent).toHaveLength(1);
    expect(await world.rows(id)).toMatchObject([{ status: 'delivered', attempt_count: 1 }]);
  });
});
