import { expect, it } from 'vitest';
import { insertProcess } from '#db/store/processes.ts';
import { productStore } from '#db/outbox/outbox.ts';
import type { Store } from '#db/store/store.ts';
import { makeJobs, type JobHandler } from '#engine/jobs/index.ts';
import { keepLease } from '#engine/jobs/lease.ts';
import { allHaveKey, isInUse, makeProcesses } from '#engine/jobs/processes.ts';
import { makeLog } from '#kernel/log.ts';
import { makeMeter } from '#kernel/metrics/meter.ts';
import { fakeClock } from '../harness/clock.ts';
import { describeStores, type Stores } from '../harness/stores/stores.ts';

const log = makeLog({ level: 'silent' });

/** Two processes on a store; a job of the first one is under way, and stays so. */
async function openTwo(stores: Stores) {
  const clock = fakeClock();
  const place = await stores.place();
  async function open() {
    const store = productStore(await stores.open(place), clock);
    return { store, processes: makeProcesses({ store, clock, log, keyIds: ['key'] }) };
  }
  const [first, second] = [await open(), await open()];
  // Without the loop that would take its lock again.
  await first.store.process.lock!.hold();
  await first.store.write((tx) => insertProcess(tx.db, { id: first.store.process.id, now: clock.now(), keyIds: [] }));
  const done: string[] = [];
  const work = ({ store }: { store: Store }, by: string, handler: JobHandler = async () => void done.push(by)) =>
    makeJobs({ store, clock, log, meter: makeMeter(), handlers: { take_down: handler } });
  await first.store.write((tx) => tx.enqueue({ kind: 'take_down', key: 'one', runAt: clock.now() }));
  const ended = Promise.withResolvers<void>();
  const jobs = work(first, 'first', () => ended.promise);
  await jobs.tick();
  const known = async () => (await second.store.db.selectFrom('processes').select('id').execute()).map(({ id }) => id);
  return {
    first,
    second,
    known,
    /** Has the second one do what is due; answers who did it. */
    async look() {
      const others = work(second, 'second');
      await others.tick();
      await others.idle();
      return done;
    },
    /** Releases the lock of the first one, as its death does; PostgreSQL takes a moment. */
    async die() {
      await first.store.process.lock!.release();
      await expect.poll(() => second.store.process.lock!.dead([first.store.process.id])).toHaveLength(1);
    },
    /** Ends what the first one is at. */
    async finish() {
      ended.resolve();
      await jobs.idle();
    },
  };
}

describeStores('a process', { kinds: ['file', 'postgres'] }, (stores) => {
  it('keeps its leases while it lives, and others have them at once when it has died', async () => {
    const { first, second, known, look, die, finish } = await openTwo(stores);
    await second.processes.start();
    expect(await look()).toEqual([]);
    expect(new Set(await known())).toEqual(new Set([first.store.process.id, second.store.process.id]));
    await die();
    await second.processes.start();
    expect(await look()).toEqual(['second']);
    expect(await known()).toEqual([second.store.process.id]);
    await finish();
    await second.processes.close();
    expect(await known()).toEqual([]);
  });

  it('that is only in the list ends nothing of others, until it works', async () => {
    const { first, second, known, look, die, finish } = await openTwo(stores);
    await second.processes.enlist();
    expect(new Set(await known())).toEqual(new Set([first.store.process.id, second.store.process.id]));
    await die();
    await second.processes.enlist();
    expect([await look(), (await known()).length]).toEqual([[], 2]);
    await second.processes.start();
    expect([await look(), await known()]).toEqual([['second'], [second.store.process.id]]);
    await finish();
    await second.processes.close();
  });

  it('is asked for its master key as long as it lives', async () => {
    const { second, die, finish } = await openTwo(stores);
    const ask = async () => [await isInUse(second.store), await allHaveKey(second.store, 'key')];
    expect(await ask()).toEqual([true, false]);
    await second.store.process.lock!.hold();
    await die();
    await second.store.process.lock!.release();
    expect(await ask()).toEqual([false, true]);
    await finish();
  });

  it('leaves to others what it has not brought to its end when it stops', async () => {
    const { first, look, known, finish } = await openTwo(stores);
    await first.processes.close();
    expect([await look(), await known()]).toEqual([['second'], []]);
    await finish();
  });

  it('that is taken for dead though it lives has lost what another has taken by then, and is in the list again', async () => {
    const { first, second, known, look, die, finish } = await openTwo(stores);
    await second.processes.start();
    await die();
    await second.processes.start();
    await look();
    await first.processes.start();
    expect(new Set(await known())).toEqual(new Set([first.store.process.id, second.store.process.id]));
    await second.processes.start();
    expect((await known()).length).toBe(2);
    await finish();
    for (const { processes } of [first, second]) await processes.close();
  });
});

it('asks the store for its lease before a request when it has lost its lock since', async () => {
  const clock = fakeClock();
  let losses = 0;
  let extended = 0;
  const lock = { losses: () => losses };
  const store = { process: { lock }, write: (work: (tx: unknown) => unknown) => work({}) } as unknown as Store;
  const until = clock.now() + 90_000;
  const extend = async () => (extended += 1) < 3;
  const lease = keepLease(
    { store, clock, log },
    { token: 'token', until, isHeld: async () => true, extend, about: {} },
  );
  await lease.outlive(30_000);
  expect(extended).toBe(0);
  losses = 1;
  await lease.outlive(30_000);
  await lease.outlive(30_000);
  expect(extended).toBe(1);
  losses = 2;
  await lease.outlive(30_000);
  losses = 3;
  await expect(lease.outlive(30_000)).rejects.toThrow();
  lease.release();
});

it('writes under its lease without moving its end, unless another process has ended it meanwhile', async () => {
  const clock = fakeClock();
  let row = { token: 'token', until: clock.now() + 90_000 };
  const written: number[] = [];
  const write = async () => void written.push(row.until);
  const transaction = async (work: (tx: unknown) => unknown) => {
    const before = written.length;
    try {
      return await work({});
    } catch (error) {
      written.length = before;
      throw error;
    }
  };
  const store = { process: {}, write: transaction } as unknown as Store;
  const lease = keepLease(
    { store, clock, log },
    {
      ...row,
      isHeld: async (_, until) => row.token === 'token' && row.until >= until,
      extend: async (_, until) => {
        if (row.token !== 'token') return false;
        row = { ...row, until };
        return true;
      },
      about: {},
    },
  );
  const { until } = row;
  clock.move(1000);
  await lease.held(write);
  row = { ...row, until: clock.now() };
  await lease.held(write);
  expect(written).toEqual([until, clock.now() + 90_000]);
  row = { ...row, token: 'of another' };
  await expect(lease.held(write)).rejects.toThrow();
  expect(written.length).toBe(2);
  lease.release();
});
