import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Failure, id, instant, named, time } from '../fields.ts';
import type { Module } from '../modules.ts';

const NewTime = z.object({ post_id: id('post'), scheduled_at: instant.describe('New time.') });

const Target = named('RescheduledTarget', {
  account_id: z.string(),
  page_id: z.string().optional(),
  scheduled_at: time,
});

const Result = named('RescheduledPost', {
  post_id: z.string(),
  success: z.boolean(),
  scheduled_at: time.optional(),
  targets: z.array(Target).optional().describe('Those with a time of their own: they move as far as the post.'),
  error: Failure.optional(),
});

export const reschedulePosts = defineTool({
  name: 'reschedule_posts',
  summary: 'Move up to 100 drafts and scheduled posts to other times.',
  http: { method: 'POST', path: '/posts/reschedule' },
  effect: 'update',
  act: 'post',
  idempotent: true,
  openWorld: true,
  whilePaused: () => true,
  access: { scope: 'posts:write' },
  meter: 'post',
  input: z.object({
    posts: z
      .array(NewTime)
      .min(1)
      .max(100)
      .refine((posts) => new Set(posts.map(({ post_id }) => post_id)).size === posts.length, {
        error: 'posts must name each post once.',
      })
      .describe('The posts with their new times.'),
    dry_run: z.boolean().default(false).describe('Check the posts; move nothing.'),
  }),
  output: z.looseObject({
    dry_run: z.boolean(),
    rescheduled: z.int(),
    failed: z.int(),
    results: z.array(Result),
  }),
  errors: [],
  lighter: { act: 'draft', when: ({ dry_run }) => dry_run, how: 'With dry_run, this call only checks.' },
  async run({ posts: times, dry_run }, call, { posts }: Module<'posts'>) {
    return posts.reschedule(call, { posts: times, dryRun: dry_run }, call.progress);
  },
});
