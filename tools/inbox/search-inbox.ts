import { z } from 'zod';
import { FOUND_KINDS } from '#db/inbox/words.ts';
import { defineTool } from '#call/tool.ts';
import { cursor, inboxFilters, limit, named, pageShape, Person, platformSlug, time, untrusted } from '../fields.ts';
import type { Module } from '../modules.ts';

const { account_id, brand_id, platform } = inboxFilters;

const kind = z.enum(FOUND_KINDS);

const Mark = named('SearchMark', { from: z.int(), to: z.int() });

const Found = named('FoundItem', {
  kind,
  id: z.string(),
  account_id: z.string(),
  brand_id: z.string(),
  platform: platformSlug,
  author: Person,
  is_ours: z.boolean().describe('A message that was sent from here.'),
  text: z.string().describe('About 200 characters around the first word.').meta(untrusted),
  marks: z.array(Mark).describe('Where in the text the words are.'),
  created_at: time,
  thread: z
    .looseObject({ kind: z.enum(['conversation', 'comment', 'mention', 'review']), id: z.string() })
    .describe('What to open to read it.'),
});

export const searchInbox = defineTool({
  name: 'search_inbox',
  summary: 'Find messages, comments, mentions and reviews, and your answers, by their words; newest first.',
  http: { method: 'GET', path: '/inbox/search' },
  effect: 'read',
  access: { scope: 'inbox:read' },
  input: z.object({
    q: z
      .string()
      .max(200)
      .optional()
      .describe('Words that must all occur; the last may be incomplete. Required without a cursor.'),
    account_id,
    brand_id,
    platform,
    kind: kind.optional().describe('Only this kind; messages need the scope dms:read.'),
    limit: limit(25),
    cursor,
  }),
  output: z.looseObject({
    data: z.array(Found),
    kinds: z.array(kind).describe('The kinds that were searched.'),
    is_complete: z.boolean().describe('False while what was stored before an upgrade is still being added.'),
    ...pageShape,
  }),
  errors: ['account.not_found', 'brand.not_found'],
  async run({ limit: most, cursor: after, ...filter }, { authority }, { inbox }: Module<'inbox'>) {
    return inbox.search.find(authority, filter, { limit: most, cursor: after });
  },
});
