import { toolset } from '#call/tool.ts';
import { createSavedReply } from './create-saved-reply.ts';
import { deleteSavedReply } from './delete-saved-reply.ts';
import { listSavedReplies } from './list-saved-replies.ts';
import { updateSavedReply } from './update-saved-reply.ts';

export const replies = toolset('replies', 'Saved replies', 'Texts to answer with again.', [
  listSavedReplies,
  createSavedReply,
  updateSavedReply,
  deleteSavedReply,
]);
