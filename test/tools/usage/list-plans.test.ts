import { expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call } from '../../harness/calls/operations.ts';

it('list_plans lists five plans, cheapest first', async ({ world }) => {
  const { plans } = (await call(world, 'list_plans')).body;
  const limits = (plan: { limits: Record<string, number> }) => plan.limits;
  expect(
    plans.map((plan: Record<string, unknown>) => [plan['tier'], plan['monthly_price_usd'], plan['popular']]),
  ).toEqual([
    ['free', 0, false],
    ['starter', 29, false],
    ['pro', 109, true],
    ['business', 349, false],
    ['enterprise', -1, false],
  ]);
  expect(limits(plans[0])).toEqual({
    profiles: 2,
    posts_per_month: 10,
    interactions_per_month: 50,
    storage_bytes: 104_857_600,
    event_retention_days: 1,
    exports_per_month: 2,
  });
  expect(plans.map((plan: { limits: Record<string, number> }) => limits(plan)['profiles'])).toEqual([
    2, 10, 50, 200, -1,
  ]);
  for (const plan of plans) expect([plan.tier, plan.name, plan.tagline].every((text) => text.length > 0)).toBe(true);
});
