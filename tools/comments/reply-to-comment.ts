import { z } from 'zod';
import type { SendBegun } from '#call/sends.ts';
import { defineTool } from '#call/tool.ts';
import { callerOf, PAGE_ERRORS, COUNTED_ERRORS } from '../platform-calls.ts';
import { ownAccount, words } from '../fields.ts';
import type { Module } from '../modules.ts';
import { commentId, POST_ERRORS, postId } from './comment.ts';

export const replyToComment = defineTool({
  name: 'reply_to_comment',
  summary: 'Reply to a comment in public, or comment on the post itself.',
  http: { method: 'POST', path: '/inbox/comments/{post_id}' },
  effect: 'send',
  act: 'comment',
  openWorld: true,
  access: { scope: 'inbox:write' },
  needs: 'reply to a comment',
  meter: 'interaction',
  input: z.object({
    post_id: postId,
    text: words(20_000).describe('Text to send.'),
    comment_id: commentId.optional().describe('Comment to answer; default: the post.'),
    account_id: ownAccount,
  }),
  output: z.looseObject({ success: z.boolean(), comment_id: z.string() }),
  errors: [
    ...POST_ERRORS,
    'resource.not_found',
    ...COUNTED_ERRORS,
    ...PAGE_ERRORS,
    'validation.interaction_limit_exhausted',
  ],
  async answers(request, { authority }, { inbox }) {
    return inbox.owed.comment(authority, request);
  },
  async run(request, call, { inbox }: Module<'inbox'>) {
    return inbox.comments.reply(callerOf(call), request);
  },
  async resume(begun: SendBegun, request, call, { inbox }) {
    return inbox.comments.reply(callerOf(call), request, begun);
  },
});
