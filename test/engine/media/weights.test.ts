import { expect, it } from 'vitest';
import { makeWeightedBudget } from '#kernel/limits/weighted-budget.ts';

const holder = () => Promise.withResolvers<void>();
const turns = async () => {
  for (let i = 0; i < 10; i += 1) await Promise.resolve();
};

it('lets in what fits, and the next in line when a holder ends', async () => {
  const weights = makeWeightedBudget(100);
  const [a, b, c] = [holder(), holder(), holder()];
  const entered: string[] = [];
  const enter = (name: string, weight: number, { promise }: typeof a) =>
    weights.enter(weight, promise).then(() => entered.push(name));
  void enter('a', 60, a);
  void enter('b', 60, b);
  void enter('c', 10, c);
  await turns();
  expect([entered, weights.held()]).toEqual([['a'], 60]);
  a.reject(new Error('the step failed'));
  await turns();
  expect([entered, weights.held()]).toEqual([['a', 'b', 'c'], 70]);
  b.resolve();
  c.resolve();
  await turns();
  expect(weights.held()).toBe(0);
});

it('lets one holder have its heaviest piece, whatever the order, and never waits for itself', async () => {
  const weights = makeWeightedBudget(100);
  const [a, b] = [holder(), holder()];
  await Promise.all([50, 90, 20].map((weight) => weights.enter(weight, a.promise)));
  expect(weights.held()).toBe(90);
  let waited = true;
  const second = weights.enter(500, b.promise).then(() => (waited = false));
  await turns();
  expect(waited).toBe(true);
  a.resolve();
  await second;
  expect(weights.held()).toBe(500);
  b.resolve();
  await turns();
  expect(weights.held()).toBe(0);
});
