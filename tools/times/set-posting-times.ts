import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { brandOfTimes, PostingTimes, weeklyTime } from './posting-times.ts';

export const setPostingTimes = defineTool({
  name: 'set_posting_times',
  summary: 'Replace the weekly times to publish at, of the workspace or of a brand.',
  http: { method: 'PUT', path: '/posting-times' },
  effect: 'update',
  act: 'admin',
  idempotent: true,
  access: { admin: true },
  mcp: false,
  input: z.object({
    times: z
      .array(weeklyTime)
      .max(100)
      .describe("All times. An empty list removes them; a brand then uses the workspace's."),
    brand_id: brandOfTimes.describe('The brand they are for; the workspace without one.'),
  }),
  output: PostingTimes,
  errors: ['brand.not_found'],
  async run({ times: given, brand_id = null }, call, { times }: Module<'times'>) {
    return times.replace(call, brand_id, given);
  },
});
