import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { cursor, limit, pageShape } from '../fields.ts';
import type { Module } from '../modules.ts';
import { conversationId, Message } from './conversation.ts';

export const listMessages = defineTool({
  name: 'list_messages',
  summary: 'List the messages of a conversation, newest first.',
  http: { method: 'GET', path: '/inbox/conversations/{conversation_id}/messages' },
  effect: 'read',
  access: { scope: 'dms:read' },
  needs: 'read conversations',
  input: z.object({ conversation_id: conversationId, limit: limit(25), cursor }),
  output: z.looseObject({ data: z.array(Message), ...pageShape }),
  errors: ['conversation.not_found'],
  async run({ conversation_id, ...page }, { authority }, { inbox }: Module<'inbox'>) {
    return inbox.conversations.messages(authority, conversation_id, page);
  },
});
