import { z } from 'zod';
import type { SendBegun } from '#call/sends.ts';
import { defineTool } from '#call/tool.ts';
import { callerOf, MESSAGE_ERRORS, PAGE_ERRORS, PLATFORM_ERRORS } from '../platform-calls.ts';
import { Done, words } from '../fields.ts';
import type { Module } from '../modules.ts';
import { commentRef, POST_ERRORS } from './comment.ts';

export const privateReplyToComment = defineTool({
  name: 'private_reply_to_comment',
  summary: 'Answer a comment with a direct message to its author.',
  http: { method: 'POST', path: '/inbox/comments/{post_id}/{comment_id}/private-reply' },
  effect: 'send',
  act: 'message',
  openWorld: true,
  access: { scope: 'dms:send' },
  needs: 'private reply',
  meter: 'interaction',
  input: z.object({ ...commentRef, text: words(1000).describe('Text to send.') }),
  output: Done.extend({ message_id: z.string() }),
  errors: [
    ...POST_ERRORS,
    'resource.not_found',
    ...PLATFORM_ERRORS,
    ...MESSAGE_ERRORS,
    ...PAGE_ERRORS,
    'validation.interaction_limit_exhausted',
  ],
  async run(request, call, { inbox }: Module<'inbox'>) {
    return inbox.comments.privateReply(callerOf(call), request);
  },
  async resume(begun: SendBegun, request, call, { inbox }) {
    return inbox.comments.privateReply(callerOf(call), request, begun);
  },
});
