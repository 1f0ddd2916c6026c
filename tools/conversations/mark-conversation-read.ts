import { z } from 'zod';
import { isFreeTo } from '#call/caller.ts';
import { defineTool } from '#call/tool.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { conversationId } from './conversation.ts';

export const markConversationRead = defineTool({
  name: 'mark_conversation_read',
  summary: 'Mark a conversation as read, here and on the platform where possible.',
  http: { method: 'POST', path: '/inbox/conversations/{conversation_id}/read' },
  effect: 'update',
  act: 'draft',
  idempotent: true,
  openWorld: true,
  access: { scope: 'dms:send' },
  needs: 'read conversations',
  input: z.object({ conversation_id: conversationId }),
  output: Done,
  errors: ['conversation.not_found'],
  async run({ conversation_id }, { authority, caller }, { inbox }: Module<'inbox'>) {
    return inbox.conversations.markRead(authority, conversation_id, { notify: isFreeTo('message', caller) });
  },
});
