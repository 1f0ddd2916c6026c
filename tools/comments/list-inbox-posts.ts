import { z } from 'zod';
import { briefList } from '#call/detail.ts';
import { defineTool } from '#call/tool.ts';
import { cursor, inboxFilters, instant, limit, pageShape } from '../fields.ts';
import type { Module } from '../modules.ts';
import { InboxPost } from './comment.ts';

const Page = z.looseObject({ data: z.array(InboxPost), ...pageShape });

const brief = briefList(Page, 'data', {
  fields: ['id', 'account_id', 'platform', 'content', 'comment_count', 'published_at'],
  text: 'content',
});

export const listInboxPosts = defineTool({
  name: 'list_inbox_posts',
  summary: 'List posts that have or may have comments.',
  http: { method: 'GET', path: '/inbox/comments' },
  effect: 'read',
  access: { scope: 'inbox:read' },
  needs: 'list comments',
  input: z.object({
    ...inboxFilters,
    min_comments: z.int().min(0).optional().describe('Only posts with at least this many comments.'),
    since: instant.optional().describe('Published later.'),
    sort_by: z.enum(['date', 'comments']).optional().describe('Default date.'),
    sort_order: z.enum(['asc', 'desc']).optional().describe('Default desc.'),
    limit: limit(25),
    cursor,
  }),
  output: Page,
  brief,
  errors: ['account.not_found', 'brand.not_found'],
  async run({ limit: most, cursor: after, ...filter }, { authority }, { inbox }: Module<'inbox'>) {
    return inbox.comments.posts(authority, filter, { limit: most, cursor: after });
  },
});
