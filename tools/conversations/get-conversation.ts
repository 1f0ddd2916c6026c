import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Conversation, conversationId } from './conversation.ts';

export const getConversation = defineTool({
  name: 'get_conversation',
  summary: 'Show a conversation, without its messages.',
  http: { method: 'GET', path: '/inbox/conversations/{conversation_id}' },
  effect: 'read',
  access: { scope: 'dms:read' },
  needs: 'read conversations',
  input: z.object({ conversation_id: conversationId }),
  output: z.looseObject({ data: Conversation }),
  errors: ['conversation.not_found'],
  async run({ conversation_id }, { authority }, { inbox }: Module<'inbox'>) {
    return inbox.conversations.read(authority, conversation_id);
  },
});
