import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { PLATFORMS } from '#kernel/platforms.ts';
import { id } from '../fields.ts';
import type { Module } from '../modules.ts';

export const getConstraints = defineTool({
  name: 'get_constraints',
  summary: 'Show what each platform accepts in a post: text length, media kinds and sizes, threads.',
  http: { method: 'GET', path: '/posts/validate' },
  effect: 'read',
  openWorld: true,
  access: { open: true },
  input: z.object({
    platform: z
      .string()
      .max(32)
      .meta({ enum: [...PLATFORMS] })
      .optional()
      .describe('Only this platform.'),
    account_id: id('account').optional().describe('Only this account, with its boards where a post goes to one.'),
  }),
  output: z.looseObject({ data: z.record(z.string(), z.looseObject({})) }),
  errors: [
    'account.unsupported_platform',
    'account.not_found',
    'account.reconnection_required',
    'resource.not_supported',
    'platform.*',
  ],
  async run({ platform, account_id }, { authority }, { posts }: Module<'posts'>) {
    return account_id === undefined
      ? posts.constraints.ofPlatform(platform)
      : posts.constraints.ofAccount(authority, account_id);
  },
});
