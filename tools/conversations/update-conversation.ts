import { z } from 'zod';
import { isFreeTo } from '#call/caller.ts';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Conversation, conversationId, STATUSES } from './conversation.ts';

export const updateConversation = defineTool({
  name: 'update_conversation',
  summary: 'Archive or restore a conversation, or mark it as read or unread.',
  http: { method: 'PATCH', path: '/inbox/conversations/{conversation_id}' },
  effect: 'update',
  act: 'draft',
  idempotent: true,
  access: { scope: 'dms:send' },
  needs: 'read conversations',
  input: z.object({
    conversation_id: conversationId,
    status: z.enum(STATUSES).optional().describe('New state.'),
    is_read: z.boolean().optional().describe('True marks it as read.'),
  }),
  output: z.looseObject({ success: z.boolean(), data: Conversation }),
  errors: ['conversation.not_found'],
  async run({ conversation_id, status, is_read }, { authority, caller }, { inbox }: Module<'inbox'>) {
    const notify = isFreeTo('message', caller);
    return inbox.conversations.update(authority, conversation_id, { status, isRead: is_read, notify });
  },
});
