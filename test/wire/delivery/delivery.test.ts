import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { EventName } from '#kernel/events.ts';
import { fakeClock } from '../../harness/clock.ts';
import { openEngine, type EngineOptions } from '../../harness/webhooks/delivery-engine.ts';
import { receiverCertificates } from '../../harness/webhooks/receiver.ts';
import { deadUrl } from '../../harness/webhooks/receivers.ts';
import { migratedImage } from '../../harness/stores/images.ts';
import { isSigned, receive, type Answer } from './receiver.ts';

const HEALTHY = 2000;
/** As many as an endpoint may have under way: then none of them has to wait for another of its own. */
const WAVE = 16;
const BAD = 200;
const SLOWS = 50;
/** A machine too busy to carry a healthy request within the first of them is given the next. */
const DEADLINES_MS = [500, 1000, 2000, 4000];
/** When the slow receiver answers, as a share of the deadline. */
const SLOW = 0.9;
const LATEST_MS = 250;
/** What a transaction of the engine takes on the clock of the test: more than on any disk worth the name. */
const WORK_MS = 5;
const LONGEST_WAIT_MS = 7 * 3_600_000;

const accept: Answer = (response) => response.writeHead(204).end();

/** The engine on a clock that stands still but for the engine's own work: how late something is does not depend on the machine. */
async function startEngine(options: Pick<EngineOptions, 'send' | 'deps'> = {}) {
  const clock = fakeClock();
  const place = { image: await migratedImage() };
  const { ca } = receiverCertificates;
  const engine = await openEngine({
    place,
    clock,
    outbound: { ca },
    ...options,
    worked: () => clock.move(WORK_MS),
  });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= engine.outbound.close().then(() => engine.close()));
  onTestFinished(close);
  return {
    ...engine,
    clock,
    close,
    rows: (id: string) =>
      engine.store.db.selectFrom('deliveries').selectAll().where('endpoint_id', '=', id).orderBy('id').execute(),
  };
}

/** Sends to receivers of every kind; answers false, early, when a healthy request was cut short by the deadline. */
async function sendBesideBad(deadlineMs: number): Promise<boolean> {
  const receiver = await receive({
    '/healthy': accept,
    '/slow': (response) => void wait(deadlineMs * SLOW).then(() => response.writeHead(204).end()),
    '/failing': (response, times) => response.writeHead(times === 1 ? 500 : 200).end(),
    // The whole first attempt is lost, both requests of it.
    '/resetting': (response, times, reset) => (times <= 2 ? reset() : response.writeHead(200).end()),
  });
  const claimedAt = new Map<string, number>();
  let arrived = () => {};
  let cut = false;
  const engine = await startEngine({
    deps: { deadlineMs },
    send: (send) => async (request) => {
      const id = request.headers!['X-Service-Delivery']!;
      if (!claimedAt.has(id)) claimedAt.set(id, engine.clock.now());
      if (!String(request.url).endsWith('/healthy')) return send(request);
      return send(request)
        .catch((error: unknown) => {
          cut = true;
          throw error;
        })
        .finally(() => arrived());
    },
  });
  const { delivery, clock } = engine;
  const endpoint = async (url: string, name: EventName, amount: number) => {
    const made = await engine.endpoint(url, [name]);
    return { ...made, amount, emit: () => engine.emit(amount, name) };
  };
  const dead = await endpoint(await deadUrl(), 'post.failed', BAD);
  const live = [
    await endpoint(receiver.url('/slow'), 'post.partial', SLOWS),
    await endpoint(receiver.url('/failing'), 'post.updated', BAD),
    await endpoint(receiver.url('/resetting'), 'post.retried', BAD),
  ];
  const healthy = await endpoint(receiver.url('/healthy'), 'post.published', HEALTHY);

  delivery.start();
  for (const { emit } of [dead, ...live]) await emit();
  for (let left = HEALTHY; left > 0; left -= WAVE) {
    let waiting = WAVE;
    await new Promise<void>((resolve) => {
      arrived = () => void ((waiting -= 1) === 0 && resolve());
      void engine.emit(WAVE, 'post.published');
    });
    if (cut) {
      await engine.close();
      return false;
    }
  }
  const early = await engine.rows(healthy.id);
  const lateness = early.map((row) => claimedAt.get(row.id)! - row.created_at);
  expect(early).toHaveLength(HEALTHY);
  expect(Math.max(...lateness)).toBeLessThanOrEqual(LATEST_MS);

  await delivery.idle();
  for (let round = 0; round < 10; round += 1) {
    clock.move(LONGEST_WAIT_MS);
    await delivery.idle();
  }
  for (const one of [healthy, ...live]) {
    const rows = await engine.rows(one.id);
    const came = receiver.to(new URL(one.url).pathname);
    expect(rows).toHaveLength(one.amount);
    expect(rows.filter(({ status }) => status !== 'delivered')).toEqual([]);
    expect(new Set(came.map(({ delivery: id }) => id))).toEqual(new Set(rows.map(({ id }) => id)));
    expect(came.filter((request) => !isSigned(request, one.secret))).toEqual([]);
  }
  const attempts = await engine.store.db
    .selectFrom('delivery_attempts')
    .innerJoin('deliveries', 'deliveries.id', 'delivery_attempts.delivery_id')
    .select(['delivery_id', (eb) => eb.fn.countAll<number>().as('n')])
    .where('endpoint_id', '=', dead.id)
    .groupBy('delivery_id')
    .execute();
  expect(attempts.map(({ n }) => n)).toEqual(Array(BAD).fill(10));
  const ends = (await engine.rows(dead.id)).map(({ status, attempt_count }) => `${status} ${attempt_count}`);
  expect(new Set(ends)).toEqual(new Set(['failed 10']));
  return true;
}

it('healthy deliveries are claimed in time beside dead, slow, failing and resetting receivers, and all that can arrive do', async () => {
  for (const deadlineMs of DEADLINES_MS) if (await sendBesideBad(deadlineMs)) return;
  throw new Error('this machine does not carry a request in four seconds');
});

it('healthy deliveries all arrive before any of the others gets an answer', async () => {
  const held: (() => void)[] = [];
  const receiver = await receive({
    '/healthy': accept,
    '/held': (response) => void held.push(() => response.writeHead(200).end()),
  });
  // Nothing ends by its deadline here: whoever waited for a held answer would wait for ever.
  const engine = await startEngine({ deps: { deadlineMs: 600_000 } });
  const stuck = await engine.endpoint(receiver.url('/held'), ['post.failed']);
  const healthy = await engine.endpoint(receiver.url('/healthy'), ['post.published']);
  await engine.emit(BAD, 'post.failed');
  engine.delivery.start();
  while (held.length < WAVE) await wait(1);
  await engine.emit(HEALTHY, 'post.published');
  while (receiver.to('/healthy').length < HEALTHY) await wait(1);
  expect(held).toHaveLength(WAVE);
  expect(new Set((await engine.rows(stuck.id)).map(({ status }) => status))).toEqual(new Set(['pending']));
  const stop = setInterval(() => held.splice(0).forEach((answer) => answer()), 1);
  await engine.delivery.idle();
  clearInterval(stop);
  for (const { id } of [stuck, healthy])
    expect((await engine.rows(id)).filter(({ status }) => status !== 'delivered')).toEqual([]);
});
