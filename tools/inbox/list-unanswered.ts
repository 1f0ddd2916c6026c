import { z } from 'zod';
import { UNANSWERED_KINDS } from '#db/inbox/unanswered.ts';
import { defineTool } from '#call/tool.ts';
import {
  cursor,
  inboxFilters,
  instant,
  limit,
  named,
  pageShape,
  Person,
  platformSlug,
  untrusted,
  time,
} from '../fields.ts';
import type { Module } from '../modules.ts';

const { account_id, brand_id, platform } = inboxFilters;

const kind = z.enum(UNANSWERED_KINDS);

const Unanswered = named('UnansweredItem', {
  kind,
  id: z.string(),
  account_id: z.string(),
  brand_id: z.string(),
  platform: platformSlug,
  author: Person,
  text: z.string().describe('The first 200 characters.').meta(untrusted),
  created_at: time.describe('Of a conversation: when its last message was written.'),
  unread_count: z.int().optional().describe('Of a conversation.'),
  platform_post_id: z.string().optional().describe('Of a comment or mention.'),
  rating: z.int().optional().describe('Of a review.'),
  answer: z
    .looseObject({ tool: z.string(), arguments: z.record(z.string(), z.string()).describe('Add text, or a template.') })
    .optional()
    .describe('The call that answers it; absent where blocked.'),
  blocked: z.string().optional().describe('Why it cannot be answered now.'),
});

export const listUnanswered = defineTool({
  name: 'list_unanswered',
  summary: 'List what waits for an answer, newest first: conversations, comments, reviews and mentions in one list.',
  http: { method: 'GET', path: '/inbox/unanswered' },
  effect: 'read',
  access: { scope: 'inbox:read' },
  input: z.object({
    account_id,
    brand_id,
    platform,
    kind: kind.optional().describe('Only this kind; conversations need the scope dms:read.'),
    since: instant.optional().describe('Written later.'),
    limit: limit(25),
    cursor,
  }),
  output: z.looseObject({
    data: z.array(Unanswered),
    kinds: z.array(kind).describe('The kinds that were listed.'),
    ...pageShape,
  }),
  errors: ['account.not_found', 'brand.not_found'],
  async run({ limit: most, cursor: after, ...filter }, { authority }, { inbox }: Module<'inbox'>) {
    return inbox.unanswered.list(authority, filter, { limit: most, cursor: after });
  },
});
