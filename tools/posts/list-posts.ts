import { z } from 'zod';
import { briefList } from '#call/detail.ts';
import { onlyIn } from '#call/input.ts';
import { defineTool } from '#call/tool.ts';
import { cursor, filled, id, idList, instant, limit, platformSlug, time } from '../fields.ts';
import type { Module } from '../modules.ts';
import { POST_STATUSES, PostPage } from './post.ts';
import { targetsInBrief } from './target.ts';

/** Brief posts: time, and the outcome of each target. */
const brief = briefList(PostPage, 'data', {
  fields: ['id', 'status', 'published_at', 'scheduled_at', 'created_at', 'text'],
  text: 'text',
  made: {
    shape: {
      scheduled_at: time.nullable(),
      created_at: time.nullable(),
      targets: z
        .array(z.string())
        .describe('The platforms (and accounts, if several), their status, and why they failed.'),
    },
    of: ({ published_at, scheduled_at, created_at, targets }) => ({
      scheduled_at: published_at === null ? scheduled_at : null,
      created_at: (published_at ?? scheduled_at) === null ? created_at : null,
      targets: targetsInBrief(targets),
    }),
  },
});

export const listPosts = defineTool({
  name: 'list_posts',
  summary: 'List posts with the result for each target.',
  http: { method: 'GET', path: '/posts' },
  effect: 'read',
  access: { scope: 'posts:read' },
  input: z.object({
    account_ids: idList('accounts').optional(),
    account_id: z.string().max(128).optional().describe('One account.'),
    brand_id: z.string().max(128).optional().describe('Only this brand.'),
    status: z.array(z.enum(POST_STATUSES)).max(6).optional().describe('Only these states.'),
    platform: platformSlug.optional().describe('Only this platform.'),
    page_id: z.string().max(128).optional().describe('Only this page.'),
    from: instant.optional().describe('Earliest time.'),
    to: instant.optional().describe('Latest time.'),
    media_id: onlyIn('rest', id('uploaded file').optional()),
    search: z.string().max(200).optional().describe('Text to find.'),
    sort: z
      .enum(['scheduled_asc', 'scheduled_desc', 'created_asc', 'created_desc'])
      .optional()
      .describe('Default scheduled_asc.'),
    hidden: z.boolean().optional().describe('Include hidden ones.'),
    limit: limit(25),
    cursor,
  }),
  output: PostPage,
  brief,
  errors: ['account.not_found', 'brand.not_found'],
  async run(
    { limit: most, cursor: after, account_id, account_ids, status, ...rest },
    { authority },
    modules: Module<'posts'>,
  ) {
    const one = account_id === undefined ? undefined : [account_id];
    const filter = { ...rest, status: filled(status), account_ids: filled(account_ids) ?? one };
    return modules.posts.list(authority, { filter, limit: most, cursor: after });
  },
});
