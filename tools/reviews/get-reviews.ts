import { z } from 'zod';
import { briefList } from '#call/detail.ts';
import { defineTool } from '#call/tool.ts';
import { inboxFilters, instant, limit, named, pageShape, platformSlug } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Review } from './review.ts';

const { account_id, brand_id } = inboxFilters;

const Failed = named('FailedAccount', {
  account_id: z.string(),
  platform: platformSlug,
  code: z.string(),
  error: z.string(),
});

const Page = z.looseObject({
  data: z.array(Review),
  meta: z.looseObject({
    accounts_queried: z.int(),
    accounts_failed: z.int(),
    failed_accounts: z.array(Failed),
  }),
  ...pageShape,
});

const brief = briefList(Page, 'data', {
  fields: ['id', 'account_id', 'rating', 'author_name', 'text', 'answered', 'created_at'],
  text: 'text',
});

export const getReviews = defineTool({
  name: 'get_reviews',
  summary: 'List reviews, newest first; meta names accounts that fail.',
  http: { method: 'GET', path: '/inbox/reviews' },
  effect: 'read',
  openWorld: true,
  access: { scope: 'inbox:read' },
  needs: 'list reviews',
  input: z.object({
    account_id,
    brand_id,
    platform: z.enum(['google']).optional().describe('The one platform with reviews.'),
    since: instant.optional().describe('Written later.'),
    limit: limit(50),
    cursor: z.string().max(65_536).optional().describe('next_cursor of the page before.'),
  }),
  output: Page,
  brief,
  errors: ['account.not_found', 'brand.not_found', 'resource.not_supported'],
  async run({ limit: most, cursor, ...filter }, { authority }, { inbox }: Module<'inbox'>) {
    return inbox.reviews.list(authority, filter, { limit: most, cursor });
  },
});
