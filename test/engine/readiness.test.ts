import { expect, it } from 'vitest';
import type { Store } from '#db/store/store.ts';
import { makeReadiness } from '#engine/readiness/index.ts';
import { fakeClock } from '../harness/clock.ts';

/** A store whose writes end when the test says so. */
function storeOf() {
  const clock = fakeClock();
  const writes: PromiseWithResolvers<unknown>[] = [];
  const write = () => {
    writes.push(Promise.withResolvers());
    return writes.at(-1)!.promise;
  };
  const store = { write, damage: () => undefined } as unknown as Pick<Store, 'write' | 'damage'>;
  return { clock, writes, readiness: makeReadiness({ store, clock, loops: [], paused: () => undefined }) };
}

it('tests a write at most every five seconds, however many ask', async () => {
  const { clock, writes, readiness } = storeOf();
  const asked = Array.from({ length: 50 }, () => readiness());
  expect(writes).toHaveLength(1);
  writes[0]!.resolve(undefined);
  expect(await Promise.all(asked)).toEqual(asked.map(() => []));
  clock.move(4_999);
  expect(await readiness()).toEqual([]);
  expect(writes).toHaveLength(1);
  clock.move(1);
  const next = readiness();
  expect(writes).toHaveLength(2);
  writes[1]!.reject(new Error('full'));
  expect(await next).toEqual(['store']);
  expect(await readiness()).toEqual(['store']);
});

it('does not wait for a write that hangs, and starts no second one beside it', async () => {
  const { clock, writes, readiness } = storeOf();
  const first = readiness();
  clock.move(2_000);
  expect(await first).toEqual(['store']);
  clock.move(60_000);
  const second = readiness();
  clock.move(2_000);
  expect(await second).toEqual(['store']);
  expect(writes).toHaveLength(1);
  writes[0]!.resolve(undefined);
  await new Promise((resolve) => setImmediate(resolve));
  clock.move(5_000);
  const third = readiness();
  expect(writes).toHaveLength(2);
  writes[1]!.resolve(undefined);
  expect(await third).toEqual([]);
});

it('names the loops that stopped', async () => {
  const write = async () => undefined;
  const store = { write, damage: () => undefined } as unknown as Pick<Store, 'write' | 'damage'>;
  const loops = [
    { name: 'publishing', isAlive: () => false },
    { name: 'deliveries', isAlive: () => true },
  ];
  expect(await makeReadiness({ store, clock: fakeClock(), loops, paused: () => undefined })()).toEqual(['publishing']);
});
