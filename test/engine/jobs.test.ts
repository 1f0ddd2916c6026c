import { MINUTE } from '#kernel/clock.ts';
import { expect, it, onTestFinished } from 'vitest';
import { productStore } from '#db/outbox/outbox.ts';
import { makePoller, type DueWork } from '#engine/jobs/poller.ts';
import { makeJobs, type JobHandler } from '#engine/jobs/index.ts';
import { makeWorkerPool } from '#engine/jobs/worker-pool.ts';
import type { JobKind } from '#kernel/jobs.ts';
import { makeLog } from '#kernel/log.ts';
import { makeMeter } from '#kernel/metrics/meter.ts';
import { fakeClock } from '../harness/clock.ts';
import { describeStores, type Stores } from '../harness/stores/stores.ts';

async function makeWorld(stores: Stores, handlers: Partial<Record<JobKind, JobHandler>>) {
  const clock = fakeClock();
  const place = await stores.place();
  const store = productStore(await stores.open(place), clock);
  const log = makeLog({ level: 'silent' });
  const jobs = makeJobs({ store, clock, log, meter: makeMeter(), handlers });
  const add = (kind: JobKind, key = 'one', runAt = clock.now()) =>
    store.write((tx) => tx.enqueue({ kind, key, runAt }));
  const rows = () => store.db.selectFrom('jobs').selectAll().orderBy('id').execute();
  const run = async (): Promise<number> => {
    const claimed = await jobs.tick();
    await jobs.idle();
    return claimed;
  };
  return { clock, place, store, log, jobs, add, rows, run };
}

describeStores('a job', { kinds: ['file', 'postgres'] }, (stores) => {
  it('is done at its time, once, and is gone', async () => {
    const done: unknown[] = [];
    const world = await makeWorld(stores, { take_down: async (job) => void done.push(job) });
    await world.add('take_down', 'one', world.clock.now() + MINUTE);
    expect([await world.run(), await world.jobs.nextAt()]).toEqual([0, world.clock.now() + MINUTE]);
    world.clock.move(MINUTE);
    expect([await world.run(), await world.run()]).toEqual([1, 0]);
    expect([done, await world.rows()]).toEqual([[{ key: 'one' }], []]);
  });

  it('asked for twice is one, at the earlier time', async () => {
    const world = await makeWorld(stores, {});
    const now = world.clock.now();
    await world.add('take_down', 'one', now + 2 * MINUTE);
    await world.add('take_down', 'one', now + MINUTE);
    await world.add('take_down', 'one', now + 3 * MINUTE);
    expect(await world.rows()).toMatchObject([{ run_at: now + MINUTE }]);
  });

  it('asked for while it runs is done once more', async () => {
    let runs = 0;
    const gate = Promise.withResolvers<void>();
    const world = await makeWorld(stores, {
      take_down: async () => {
        runs += 1;
        if (runs === 1) await gate.promise;
      },
    });
    await world.add('take_down');
    await world.jobs.tick();
    await world.add('take_down');
    gate.resolve();
    await world.jobs.idle();
    await world.run();
    expect([runs, await world.rows()]).toEqual([2, []]);
  });

  it('comes again when it says so', async () => {
    let runs = 0;
    const world = await makeWorld(stores, {
      sweep_media: async () => ((runs += 1) < 3 ? { again: MINUTE } : undefined),
    });
    await world.add('sweep_media');
    await world.run();
    expect(await world.run()).toBe(0);
    for (let n = 0; n < 3; n += 1) {
      world.clock.move(MINUTE);
      await world.run();
    }
    expect([runs, await world.rows()]).toEqual([3, []]);
  });

  it('that waits for long comes again at a full second, and looks for it need no free place', async () => {
    const world = await makeWorld(stores, {
      poll_inbox: async ({ key }) => ({ again: key === 'soon' ? 50 : 30_000 }),
    });
    world.clock.move(1);
    const runAt = world.clock.now();
    await world.add('poll_inbox', 'late');
    await world.run();
    expect(world.jobs.isFreeAwaited()).toBe(false);
    expect(await world.rows()).toMatchObject([{ run_at: runAt + 30_999 }]);
    await world.add('poll_inbox', 'soon');
    await world.run();
    expect(world.jobs.isFreeAwaited()).toBe(true);
    expect(await world.rows()).toMatchObject([{ key: 'late' }, { run_at: runAt + 50 }]);
  });

  it('for which there is no place is awaited', async () => {
    const gate = Promise.withResolvers<void>();
    const world = await makeWorld(stores, { take_down: () => gate.promise });
    for (let n = 0; n < 9; n += 1) await world.add('take_down', String(n));
    expect([await world.jobs.tick(), await world.jobs.tick(), world.jobs.isFreeAwaited()]).toEqual([8, 0, true]);
    gate.resolve();
    await world.jobs.idle();
  });

  it('that fails is tried later and later', async () => {
    const world = await makeWorld(stores, { take_push: () => Promise.reject(new Error('broken')) });
    await world.add('take_push');
    const waits: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      await world.run();
      const { run_at } = (await world.rows())[0]!;
      waits.push((run_at - world.clock.now()) / 1000);
      world.clock.move(run_at - world.clock.now());
    }
    expect(waits).toEqual([5, 30, 120, 600, 3600, 3600, 3600]);
  });

  it('whose process dies is taken up when its lease ends', async () => {
    const done: string[] = [];
    const gate = Promise.withResolvers<void>();
    const world = await makeWorld(stores, { take_down: () => gate.promise });
    const other = makeJobs({
      ...world,
      meter: makeMeter(),
      handlers: { take_down: async ({ key }) => void done.push(key) },
    });
    await world.add('take_down');
    await world.jobs.tick();
    world.clock.move(5 * MINUTE - 1);
    expect(await other.tick()).toBe(0);
    world.clock.move(1);
    expect(await other.tick()).toBe(1);
    await other.idle();
    gate.resolve();
    await world.jobs.idle();
    expect([done, await world.rows()]).toEqual([['one'], []]);
  });

  it('of a kind nobody here knows is left for who does', async () => {
    const world = await makeWorld(stores, { take_down: async () => {} });
    await world.add('poll_inbox');
    expect([await world.run(), await world.jobs.nextAt()]).toEqual([0, undefined]);
    expect(await world.rows()).toHaveLength(1);
  });
});

it('a pool has as many places as it has, and says when one is free', async () => {
  const pool = makeWorkerPool(2);
  const gate = Promise.withResolvers<void>();
  let told = 0;
  const stop = pool.onFree(() => (told += 1));
  pool.track(gate.promise.then(() => {}));
  pool.track(gate.promise.then(() => {}));
  expect(pool.free()).toBe(0);
  gate.resolve();
  await pool.idle();
  expect([pool.free(), told]).toEqual([2, 2]);
  stop();
});

function beating(work: Partial<DueWork>) {
  const clock = fakeClock();
  const wakes = new Set<() => void>();
  const frees = new Set<() => void>();
  let ticks = 0;
  const poller = makePoller({
    clock,
    log: makeLog({ level: 'silent' }),
    name: 'test',
    work: {
      tick: async () => {
        ticks += 1;
        return 0;
      },
      nextAt: async () => undefined,
      idle: async () => {},
      onFree: (listener) => {
        frees.add(listener);
        return () => void frees.delete(listener);
      },
      ...work,
    },
    onWake: (wake) => {
      wakes.add(wake);
      return () => void wakes.delete(wake);
    },
  });
  const turns = async () => {
    for (let n = 0; n < 20; n += 1) await Promise.resolve();
  };
  const pass = async (ms: number) => {
    clock.move(ms);
    await turns();
  };
  onTestFinished(() => poller.stop());
  return { clock, pass, poller, wakes, frees, turns, ticks: () => ticks };
}

it('a poller looks at once, once a second, when it is woken, and when a place is free', async () => {
  const { clock, pass, poller, wakes, frees, turns, ticks } = beating({});
  poller.start();
  await turns();
  expect(ticks()).toBe(1);
  await pass(999);
  expect(ticks()).toBe(1);
  await pass(1);
  expect(ticks()).toBe(2);
  for (const wake of [...wakes, ...frees]) {
    wake();
    await turns();
  }
  expect(ticks()).toBe(4);
  await poller.stop();
  expect([wakes.size, frees.size, clock.timers()]).toEqual([0, 0, 0]);
});

it('a poller does not look when a place is free that nothing waits for', async () => {
  const { poller, frees, turns, ticks } = beating({ isFreeAwaited: () => false });
  poller.start();
  await turns();
  for (const free of frees) free();
  await turns();
  expect(ticks()).toBe(1);
});

it('a poller looks when the next thing is due', async () => {
  const start = fakeClock().now();
  const { pass, poller, turns, ticks } = beating({ nextAt: async () => start + 300 });
  poller.start();
  await turns();
  await pass(300);
  expect(ticks()).toBe(2);
});

it('a poller that cannot look for 15 seconds is not alive, and goes on trying', async () => {
  let broken = true;
  const { clock, pass, poller, turns } = beating({
    tick: () => (broken ? Promise.reject(new Error('no store')) : Promise.resolve(0)),
  });
  poller.start();
  for (let n = 0; n < 15; n += 1) {
    await turns();
    expect(poller.isAlive()).toBe(true);
    clock.move(1000);
  }
  expect(poller.isAlive()).toBe(false);
  broken = false;
  await turns();
  await pass(1000);
  expect(poller.isAlive()).toBe(true);
});

it('a poller that stops waits for what runs, but 20 seconds at most', async () => {
  let hangs = true;
  const { clock, pass, poller, turns } = beating({ idle: () => (hangs ? new Promise(() => {}) : Promise.resolve()) });
  poller.start();
  await turns();
  let stopped = false;
  const stopping = poller.stop().then(() => (stopped = true));
  await turns();
  await pass(19_999);
  expect(stopped).toBe(false);
  clock.move(1);
  await stopping;
  hangs = false;
});
