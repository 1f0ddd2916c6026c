import { z } from 'zod';
import type { SendBegun } from '#call/sends.ts';
import { defineTool } from '#call/tool.ts';
import { MESSAGE_CODES } from '#kernel/errors.ts';
import { callerOf, COUNTED_ERRORS, MESSAGE_ERRORS, PAGE_ERRORS } from '../platform-calls.ts';
import { aliasOf, ownAccount } from '../fields.ts';
import type { Module } from '../modules.ts';
import { conversationId } from './conversation.ts';
import { messageFields } from './message.ts';

export const sendDm = defineTool({
  name: 'send_dm',
  summary: 'Send a direct message in a conversation: text, attachments, or one kind of template.',
  http: { method: 'POST', path: '/inbox/conversations/{conversation_id}/messages' },
  effect: 'send',
  act: 'message',
  openWorld: true,
  access: { scope: 'dms:send' },
  needs: 'send a message',
  meter: 'interaction',
  input: z.object({ conversation_id: conversationId, account_id: ownAccount, ...messageFields }),
  output: z.looseObject({
    success: z.boolean(),
    message_ids: z.array(z.string()),
    message_id: aliasOf('message_ids', z.string()).meta({ deprecated: true }),
  }),
  errors: [
    'conversation.not_found',
    ...COUNTED_ERRORS,
    ...MESSAGE_ERRORS,
    ...MESSAGE_CODES,
    ...PAGE_ERRORS,
    'resource.not_found',
    'media.not_found',
    'media.not_ready',
    'validation.invalid_message_tag',
    'validation.interaction_limit_exhausted',
  ],
  async answers({ conversation_id }, { authority }, { inbox }) {
    return inbox.owed.conversation(authority, conversation_id);
  },
  async run({ conversation_id, ...message }, call, { inbox }: Module<'inbox'>) {
    return inbox.conversations.send(callerOf(call), conversation_id, message);
  },
  async resume(begun: SendBegun, { conversation_id, ...message }, call, { inbox }) {
    return inbox.conversations.send(callerOf(call), conversation_id, message, begun);
  },
});
