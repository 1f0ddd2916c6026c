import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { cursor, limit, minor, named, pageShape, platformSlug, time } from '../fields.ts';
import type { Module } from '../modules.ts';
import { reportedFields } from './target.ts';

const Entry = named('PostLogEntry', {
  id: z.string(),
  brand_id: z.string().meta(minor),
  account_id: z.string(),
  post_id: z.string(),
  platform: platformSlug,
  action: z.string(),
  status: z.string(),
  attempt: z.int(),
  created_at: time,
  duration_ms: z.int(),
  status_code: z.int(),
  error_message: z.string().nullable(),
  ...reportedFields,
});

export const listPostLogs = defineTool({
  name: 'list_post_logs',
  summary: 'List what happened to posts on their platforms in the last 7 days, newest first.',
  http: { method: 'GET', path: '/posts/logs' },
  effect: 'read',
  access: { scope: 'posts:read' },
  input: z.object({
    status: z.enum(['success', 'failed', 'skipped']).optional().describe('With this outcome.'),
    platform: platformSlug.optional().describe('Only this platform.'),
    action: z.enum(['publish', 'retry', 'cancel', 'unpublish']).optional().describe('Only this action.'),
    days: z.int().min(1).max(7).optional().describe('How many days back, at most 7 (default).'),
    post_id: z.string().max(128).optional().describe('Only this post.'),
    account_id: z.string().max(128).optional().describe('Only this account.'),
    limit: limit(50),
    cursor,
  }),
  output: z.looseObject({ data: z.array(Entry), ...pageShape }),
  errors: ['account.not_found'],
  async run({ limit: most, cursor: after, post_id, account_id, ...filter }, { authority }, { posts }: Module<'posts'>) {
    const named = { ...filter, postId: post_id, accountId: account_id };
    return posts.logs(authority, { filter: named, limit: most, cursor: after });
  },
});
