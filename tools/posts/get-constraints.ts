import { z } from 'zod';
import { defineTool } from '../../src/call/tool.ts';
import { platformSlug } from '../fields.ts';
import type { Module } from '../modules.ts';

export const getConstraints = defineTool({
  name: 'get_constraints',
  summary: 'Show what each platform accepts in a post: text length, media kinds and sizes, threads.',
  http: { method: 'GET', path: '/posts/validate' },
  effect: 'read',
  access: { open: true },
  input: z.object({ platform: platformSlug.optional().describe('Only this platform.') }),
  output: z.looseObject({ data: z.record(z.string(), z.looseObject({})) }),
  errors: [],
  async run({ platform }, _call, { posts }: Module<'posts'>) {
    return posts.constraints(platform);
  },
});
