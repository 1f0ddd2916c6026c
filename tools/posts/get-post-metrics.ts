import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Target } from './post.ts';

export const getPostMetrics = defineTool({
  name: 'get_post_metrics',
  summary: 'Show likes, comments, shares and saves of the published targets of a post.',
  http: { method: 'GET', path: '/posts/{post_id}/metrics' },
  effect: 'read',
  openWorld: true,
  access: { scope: 'posts:read' },
  needs: 'post metrics',
  input: z.object({ post_id: z.string().min(1).max(512).describe("Id, ours or the platform's.") }),
  output: z.looseObject({
    data: z.looseObject({ post_id: z.string(), targets: z.array(Target), results: z.array(Target) }),
  }),
  errors: [
    'post.not_found',
    'resource.conflict',
    'resource.not_supported',
    'account.not_found',
    'account.reconnection_required',
    'platform.*',
  ],
  async run({ post_id }, { authority }, { posts }: Module<'posts'>) {
    return posts.metrics(authority, post_id);
  },
});
