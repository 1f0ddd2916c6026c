import { z } from 'zod';
import { named } from '../fields.ts';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';

const Plan = named('Plan', {
  tier: z.string(),
  name: z.string(),
  tagline: z.string(),
  monthly_price_usd: z.number(),
  annual_price_usd: z.number(),
  popular: z.boolean(),
  limits: z.looseObject({
    profiles: z.int(),
    posts_per_month: z.int(),
    interactions_per_month: z.int(),
    storage_bytes: z.int(),
    event_retention_days: z.int(),
    exports_per_month: z.int(),
  }),
});

export const listPlans = defineTool({
  name: 'list_plans',
  summary: 'List the plans with prices and limits, cheapest first.',
  http: { method: 'GET', path: '/billing/plans' },
  effect: 'read',
  access: { open: true },
  pastDue: 'exempt',
  input: z.object({}),
  output: z.looseObject({ plans: z.array(Plan) }),
  errors: [],
  async run(_input, _call, { usage }: Module<'usage'>) {
    return usage.plans();
  },
});
