import { expect, it } from 'vitest';
import { mapAtOnce } from '#kernel/limits/at-once.ts';

it('items are worked on a few at a time, and their results keep the order', async () => {
  let running = 0;
  let most = 0;
  const run = async (item: number) => {
    running += 1;
    most = Math.max(most, running);
    for (let ticks = 0; ticks < 5 - item; ticks += 1) await Promise.resolve();
    running -= 1;
    return item * 2;
  };
  expect(await mapAtOnce([1, 2, 3, 4, 5], 2, run)).toEqual([2, 4, 6, 8, 10]);
  expect(most).toBe(2);
  expect(await mapAtOnce([], 2, run)).toEqual([]);
  const refuse = async (item: number) => {
    if (item === 2) throw new Error('no');
    return item;
  };
  await expect(mapAtOnce([1, 2, 3], 2, refuse)).rejects.toThrow('no');
});
