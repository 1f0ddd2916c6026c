import { SECOND, HOUR, DAY } from '#kernel/clock.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, test } from 'vitest';
import { waitAfter } from '#engine/delivery/schedule.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import {
  backlog,
  lost,
  held,
  makeWorld,
  recount,
  secondProcess,
  START,
  until,
  type Answer,
} from '../../harness/worlds/delivery.ts';

const never = () => new Promise<Answer>(() => {});

describeStores('deliveries', { kinds: ['file', 'postgres'] }, (stores) => {
  const it = test.extend('world', () => makeWorld(stores));

  it('are tried exactly ten times, each with a new time and signature, and then fail', async ({ world }) => {
    const { clock, delivery, network } = world;
    const id = await world.answering('dead', () => 400);
    await world.deliver();
    for (let attempt = 1; attempt < 10; attempt += 1) {
      clock.move(waitAfter(attempt, () => 0.5)! - 1);
      await delivery.idle();
      expect(network.to('dead')).toHaveLength(attempt);
      clock.move(1);
      await delivery.idle();
    }
    clock.move(30 * DAY);
    await delivery.idle();

    const starts = network.to('dead').map(({ at }) => (at - START) / SECOND);
    expect(starts).toEqual([0, 30, 120, 390, 1200, 3000, 6600, 13_800, 28_200, 50_400]);
    const times = network.to('dead').map(({ headers }) => Number(headers!['X-Service-Timestamp']));
    expect(times).toEqual(starts.map((start) => START / SECOND + start));
    expect(new Set(network.to('dead').map(({ headers }) => headers!['X-Service-Signature-V2'])).size).toBe(10);
    expect(new Set(network.to('dead').map(({ headers }) => headers!['X-Service-Delivery'])).size).toBe(1);

    const [row] = await world.rows(id);
    expect(row).toMatchObject({ status: 'failed', attempt_count: 10, response_status_code: 400 });
    const detail = await delivery.deliveries.get(world.authority, id, row!.id);
    expect(detail.attempts.map(({ attempt_number }) => attempt_number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(detail.attempts[9]).toMatchObject({ status_code: 400, response_body: 'thanks', error_message: null });
    expect(await world.logs()).toMatchObject([{ action: 'delivery', status: 'failed', status_code: 400 }]);
  });

  it('carry the same bytes to every endpoint that subscribed, and to no other', async ({ world }) => {
    for (const host of ['a', 'b']) await world.endpoint(host, ['post.deleted', 'dm.received']);
    await world.endpoint('c', ['dm.received']);
    const [event] = await world.deliver();
    const stored = world.store.db.selectFrom('events').select('body').where('id', '=', event!);
    const { body } = await stored.executeTakeFirstOrThrow();
    expect(world.network.sent.map(({ host }) => host).sort()).toEqual(['a', 'b']);
    expect(world.network.sent.map((request) => request.body)).toEqual([body, body]);
    expect(world.network.sent[0]).toMatchObject({ method: 'POST', purpose: 'webhook', given: true, redirects: 0 });
  });

  it('succeed in the second request of an attempt, which counts once', async ({ world }) => {
    const id = await world.answering('flaky', (_, count) => (count === 1 ? 500 : 204));
    await world.deliver();
    expect(await world.rows(id)).toMatchObject([{ status: 'delivered', attempt_count: 1, response_status_code: 204 }]);
    expect(await world.logs()).toEqual([]);
  });

  it('are claimed together and written down together', async ({ world }) => {
    let writes = 0;
    const store = {
      ...world.store,
      write: ((fn) => ((writes += 1), world.store.write(fn))) as typeof world.store.write,
    };
    const delivery = await secondProcess(stores, world, { store });
    for (let i = 0; i < 40; i += 1) await world.endpoint(`host${i}`);
    await world.emit();
    writes = 0;
    await delivery.idle();
    expect(world.network.sent).toHaveLength(40);
    expect(writes).toBe(2);
  });

  it('of an endpoint start in the order of their events', async ({ world }) => {
    const id = await world.endpoint('slow');
    const gate = await world.occupy('slow');
    const rows = await world.rows(id);
    const first = world.network.sent.map(({ headers }) => headers!['X-Service-Delivery']);
    expect(first).toEqual(rows.slice(0, 16).map((row) => row.id));
    gate.answer(200);
    world.network.receivers.set('slow', () => 200);
    await world.delivery.idle();
    expect(new Set((await world.rows(id)).map((row) => row.status))).toEqual(new Set(['delivered']));
  });

  it('of a dead endpoint with a long backlog never delay those of another', async ({ world }) => {
    const dead = await world.endpoint('dead');
    await backlog(world, dead, 1000);
    world.network.receivers.set('dead', never);
    await world.delivery.tick();
    await until(() => world.network.to('dead').length === 16);

    const live = await world.endpoint('live', ['post.published']);
    await world.emit(3, 'post.published');
    await world.delivery.tick();
    await until(async () => (await world.rows(live)).every((row) => row.status === 'delivered'));
    expect(world.network.to('dead')).toHaveLength(16);
  });

  it('get one slot after a failure, twice as many with each success, and half of the sockets while failing', async () => {
    const world = await makeWorld(stores, { limits: { sockets: 4 } });
    const hosts = ['a', 'b', 'c', 'd'];
    const ids = await Promise.all(hosts.map((host) => world.endpoint(host)));
    hosts.forEach((host) => world.network.receivers.set(host, () => 400));
    await world.deliver();
    const endpoints = world.store.db.selectFrom('endpoints').select(['slots', 'failing']);
    expect(await endpoints.execute()).toEqual(ids.map(() => ({ slots: 1, failing: 1 })));

    const gate = held();
    hosts.forEach((host) => world.network.receivers.set(host, gate.receiver));
    await world.emit(8);
    await world.delivery.tick();
    await until(() => gate.waiting.length === 2);
    await turn();
    expect(gate.waiting).toHaveLength(2);
    world.network.receivers.clear();
    gate.answer(200);
    await world.delivery.idle();
    expect(await endpoints.execute()).toEqual(ids.map(() => ({ slots: 16, failing: 0 })));
  });

  it('show no response of a private address', async ({ world }) => {
    const id = await world.answering('host', () => ({ status: 400, fromPrivate: true }));
    await world.deliver();
    const [row] = await world.rows(id);
    const { attempts } = await world.delivery.deliveries.get(world.authority, id, row!.id);
    expect(attempts).toMatchObject([{ status_code: 400, response_body: null }]);
  });

  it('start with the commit that makes them, and again when they are due, without being asked', async ({ world }) => {
    const id = await world.answering('host', (_, count) => (count === 1 ? 400 : 200));
    world.delivery.start();
    await world.emit();
    await until(async () => (await world.rows(id))[0]!.attempt_count === 1);
    while (world.network.sent.length === 1) {
      await until(() => world.clock.timers() > 0);
      world.clock.move(SECOND);
      await until(() => world.clock.timers() > 0 || world.network.sent.length > 1);
    }
    await until(async () => (await world.rows(id))[0]!.status === 'delivered');
    // A timer set just before the failure was written may be the one that counts: it looks a second later at most.
    expect([30, 31]).toContain((world.network.sent[1]!.at - START) / SECOND);
    await world.delivery.stop();
  });

  it('under way may end when the engine stops; no other begins', async ({ world }) => {
    const id = await world.endpoint('host');
    const gate = held();
    world.network.receivers.set('host', gate.receiver);
    world.delivery.start();
    await world.emit(20);
    await until(() => gate.waiting.length === 16);
    const stopping = world.delivery.stop();
    await world.emit();
    gate.answer(200);
    await stopping;
    const rows = await world.rows(id);
    expect(rows.filter((row) => row.status === 'delivered')).toHaveLength(16);
    expect(world.network.sent).toHaveLength(16);
  });

  it('that hang hold the stop up for 20 seconds', async ({ world }) => {
    await world.answering('host', never);
    world.delivery.start();
    await world.emit();
    await until(() => world.network.sent.length === 1);
    let stopped = false;
    const stopping = world.delivery.stop().then(() => (stopped = true));
    await until(() => world.clock.timers() > 0);
    expect(stopped).toBe(false);
    world.clock.move(20 * SECOND);
    await stopping;
  });

  it('are counted as a recount counts them, through every move and the sweep', async () => {
    const world = await makeWorld(stores, {}, 'free');
    const { clock, delivery, authority } = world;
    const a = await world.endpoint('a', ['post.deleted', 'dm.received']);
    const b = await world.endpoint('b');
    const agree = async () => {
      for (const id of [a, b]) {
        const { counted, real } = await recount(world.store, id);
        expect(counted).toEqual(real);
      }
    };
    world.network.receivers.set('b', (_, count) => (count % 3 === 0 ? 200 : 400));
    await world.emit(5);
    await world.deliver(3, 'dm.received');
    await agree();
    clock.move(20 * HOUR);
    await delivery.idle();
    await world.emit(4);
    await delivery.test(authority, a, { event_type: 'hello', payload: 1 });
    await delivery.idle();
    await agree();
    await world.update(b, { is_active: false });
    await agree();
    const before = (await world.rows(a)).length;
    clock.move(30 * HOUR);
    while ((await delivery.sweep()) > 0) await agree();
    await agree();
    const left = await world.rows(a);
    expect(left.length).toBeLessThan(before);
    expect(left.length).toBeGreaterThan(0);
    clock.move(2 * DAY);
    while ((await delivery.sweep()) > 0);
    expect(await world.rows(a)).toEqual([]);
    expect(await recount(world.store, a)).toEqual({ counted: [], real: [] });
  });
});

describeStores('deliveries in one attempt', { kinds: ['memory'] }, (stores) => {
  it.each([
    [2, 429],
    [2, 500],
    [2, 502],
    [2, 599],
    [2, lost('connect')],
    [2, lost('reset')],
    [2, lost('tls')],
    [2, lost('dns')],
    [1, 501],
    [1, 400],
    [1, 404],
    [1, 410],
    [1, 301],
    [1, 199],
    [1, 600],
    [1, lost('timeout')],
    [1, lost('refused_address')],
    [1, lost('bad_url')],
    [1, lost('protocol')],
  ] as const)('are sent %i time(s) in an attempt that meets %s', async (times, answer) => {
    const world = await makeWorld(stores);
    const id = await world.answering('bad', () => answer);
    await world.deliver();

    const sent = world.network.to('bad');
    expect(sent.map(({ freshSocket }) => freshSocket)).toEqual(times === 2 ? [false, true] : [false]);
    expect(new Set(sent.map(({ headers, body }) => JSON.stringify([headers, body]))).size).toBe(1);
    const [row] = await world.rows(id);
    expect(row).toMatchObject({ status: 'pending', attempt_count: 1, run_at: START + 30 * SECOND });
    const [status, error] = typeof answer === 'number' ? [answer, null] : [null, expect.any(String)];
    expect(row).toMatchObject({ response_status_code: status, error_message: error });
  });
});
