import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { brandOfTimes, PostingTimes } from './posting-times.ts';

export const getPostingTimes = defineTool({
  name: 'get_posting_times',
  summary: 'Get the weekly times to publish at, of the workspace or of a brand.',
  http: { method: 'GET', path: '/posting-times' },
  effect: 'read',
  access: { scope: 'posts:read' },
  mcp: false,
  input: z.object({ brand_id: brandOfTimes.describe('The brand; the workspace without one.') }),
  output: PostingTimes,
  errors: ['brand.not_found'],
  async run({ brand_id = null }, call, { times }: Module<'times'>) {
    return times.read(call, brand_id);
  },
});
