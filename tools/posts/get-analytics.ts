import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { filled, idList, inboxFilters, named, time } from '../fields.ts';
import type { Module } from '../modules.ts';

const { brand_id, platform } = inboxFilters;

const day = z.iso.date('must be a day such as 2026-01-31');

const Counts = named('AnalyticsCounts', {
  published: z.int(),
  likes: z.int(),
  comments: z.int(),
  shares: z.int(),
  saves: z.int(),
  views: z.int(),
});

const Group = named('AnalyticsGroup', {
  day: z.string().optional(),
  platform: z.string().optional(),
  account_id: z.string().optional(),
  username: z.string().nullable().optional(),
  post_id: z.string().optional(),
  text: z.string().optional(),
  published_at: time.nullable().optional(),
  ...Counts.shape,
});

export const getAnalytics = defineTool({
  name: 'get_analytics',
  summary: 'Add up what posts gained in a period, and compare it with the period before.',
  http: { method: 'GET', path: '/analytics' },
  effect: 'read',
  access: { scope: 'posts:read' },
  needs: 'post metrics',
  input: z.object({
    from: day.optional().describe('First day (YYYY-MM-DD); default: 30 days.'),
    to: day.optional().describe('Last day, included; default today.'),
    brand_id,
    account_ids: idList('accounts').optional(),
    platform,
    post_id: z.string().min(1).max(128).optional().describe('Only this post.'),
    group_by: z.enum(['day', 'platform', 'account', 'post']).optional().describe('Also add up for each.'),
  }),
  output: z.looseObject({
    from: z.string(),
    to: z.string(),
    timezone: z.string(),
    totals: Counts,
    previous: z.looseObject({ from: z.string(), to: z.string(), totals: Counts }),
    change: z.record(z.string(), z.int()),
    change_percent: z.record(z.string(), z.number().nullable()),
    groups: z.array(Group).optional(),
    more_groups: z.boolean().optional(),
    freshness: z.looseObject({
      as_of: time.nullable(),
      oldest_fetch: time.nullable(),
      targets: z.int(),
      targets_without_numbers: z.int(),
    }),
  }),
  errors: ['account.not_found', 'brand.not_found', 'post.not_found'],
  async run(input, call, { posts }: Module<'posts'>) {
    const { brand_id: brandId, account_ids, post_id: postId, group_by: groupBy, ...rest } = input;
    return posts.analytics(call, { ...rest, brandId, accountIds: filled(account_ids), postId, groupBy });
  },
});
