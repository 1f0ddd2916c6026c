import { z } from 'zod';
import { briefList } from '#call/detail.ts';
import { defineTool } from '#call/tool.ts';
import { cursor, inboxFilters, limit, pageShape, time } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Conversation, STATUSES } from './conversation.ts';

const Page = z.looseObject({
  data: z.array(Conversation),
  last_synced_at: time.nullable(),
  sync_state: z.enum(['idle', 'syncing', 'failed']),
  ...pageShape,
});

const brief = briefList(Page, 'data', {
  fields: [
    'id',
    'account_id',
    'platform',
    'participant_name',
    'status',
    'unread_count',
    'last_message',
    'last_message_at',
    'last_message_direction',
    'blocked',
  ],
  text: 'last_message',
});

export const listConversations = defineTool({
  name: 'list_conversations',
  summary: 'List conversations (direct messages), the most recent first.',
  http: { method: 'GET', path: '/inbox/conversations' },
  effect: 'read',
  access: { scope: 'dms:read' },
  needs: 'read conversations',
  input: z.object({
    ...inboxFilters,
    status: z.enum(STATUSES).optional().describe('Default active.'),
    awaiting_reply: z.boolean().optional().describe('True: the person wrote last; false: the account did.'),
    limit: limit(25),
    cursor,
  }),
  output: Page,
  brief,
  errors: ['account.not_found', 'brand.not_found'],
  async run({ limit: most, cursor: after, ...filter }, { authority }, { inbox }: Module<'inbox'>) {
    return inbox.conversations.list(authority, filter, { limit: most, cursor: after });
  },
});
