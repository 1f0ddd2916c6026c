import { toolset } from '#call/tool.ts';
import { getConversation } from './get-conversation.ts';
import { listConversations } from './list-conversations.ts';
import { listMessages } from './list-messages.ts';
import { markConversationRead } from './mark-conversation-read.ts';
import { sendDm } from './send-dm.ts';
import { updateConversation } from './update-conversation.ts';

export const conversations = toolset(
  'conversations',
  'Conversations',
  'Direct messages: reading threads, answering, archiving.',
  [listConversations, getConversation, updateConversation, markConversationRead, listMessages, sendDm],
);
