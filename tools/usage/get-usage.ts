import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { time } from '../fields.ts';
import type { Module } from '../modules.ts';

export const getUsage = defineTool({
  name: 'get_usage',
  summary: 'Show how much of the plan is used in the current period; -1 means unlimited.',
  http: { method: 'GET', path: '/usage' },
  effect: 'read',
  access: { open: true },
  input: z.object({}),
  output: z.looseObject({
    brands_used: z.int(),
    brands_limit: z.int(),
    posts_used: z.int(),
    posts_limit: z.int(),
    interactions_used: z.int(),
    interactions_limit: z.int(),
    profile_units_used: z.int(),
    profile_units_limit: z.int(),
    page_allowance: z.int(),
    page_billing_exempt: z.boolean(),
    period_start: time,
    period_end: time,
  }),
  errors: ['auth.user_not_found'],
  async run(_input, { workspace }, { usage }: Module<'usage'>) {
    return usage.read(workspace);
  },
});
