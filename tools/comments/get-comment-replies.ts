import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { PLATFORM_ERRORS } from '../platform-calls.ts';
import { cursor, instant, limit } from '../fields.ts';
import type { Module } from '../modules.ts';
import { CommentPage, commentsInBrief, commentRef, POST_ERRORS } from './comment.ts';

export const getCommentReplies = defineTool({
  name: 'get_comment_replies',
  summary:
    'List the replies to a comment, oldest first (newest first where the platform lists them so), as it shows them now.',
  http: { method: 'GET', path: '/inbox/comments/{post_id}/{comment_id}/replies' },
  effect: 'read',
  openWorld: true,
  access: { scope: 'inbox:read' },
  needs: 'list replies',
  input: z.object({
    ...commentRef,
    since: instant.optional().describe('Written later.'),
    limit: limit(10),
    cursor,
  }),
  output: CommentPage,
  brief: commentsInBrief,
  errors: [...POST_ERRORS, 'resource.not_found', ...PLATFORM_ERRORS],
  async run({ limit: most, cursor: after, ...request }, { authority }, { inbox }: Module<'inbox'>) {
    return inbox.comments.replies(authority, request, { limit: most, cursor: after });
  },
});
