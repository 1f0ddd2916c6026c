import { z } from 'zod';
import type { Brief } from '#call/detail.ts';
import { defineTool } from '#call/tool.ts';
import { aliasOf } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Target } from './target.ts';

const Answer = z.looseObject({
  data: z.looseObject({ post_id: z.string(), targets: z.array(Target), results: aliasOf('targets', z.array(Target)) }),
});

const Measured = Target.pick({ account_id: true, platform: true, permalink: true, metrics: true, error: true });

const brief: Brief = {
  output: z.object({ data: z.object({ post_id: z.string(), targets: z.array(Measured) }) }),
  of: ({ data: { post_id, targets } }: z.output<typeof Answer>) => ({
    data: {
      post_id,
      targets: targets.map(({ account_id, platform, permalink, metrics, error }) => ({
        account_id,
        platform,
        permalink,
        metrics,
        error,
      })),
    },
  }),
};

export const getPostMetrics = defineTool({
  name: 'get_post_metrics',
  summary: 'Show likes, comments, shares and saves of the published targets of a post.',
  http: { method: 'GET', path: '/posts/{post_id}/metrics' },
  effect: 'read',
  openWorld: true,
  access: { scope: 'posts:read' },
  needs: 'post metrics',
  input: z.object({ post_id: z.string().min(1).max(512).describe("Our id or the platform's.") }),
  output: Answer,
  brief,
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
