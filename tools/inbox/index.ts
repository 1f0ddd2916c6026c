import { toolset } from '#call/tool.ts';
import { getInboxThread } from './get-inbox-thread.ts';
import { listUnanswered } from './list-unanswered.ts';
import { searchInbox } from './search-inbox.ts';

export const inbox = toolset('inbox', 'Inbox', 'Everything that waits for an answer.', [
  listUnanswered,
  searchInbox,
  getInboxThread,
]);
