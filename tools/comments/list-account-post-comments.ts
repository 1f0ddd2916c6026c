import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { PLATFORM_ERRORS } from '../platform-calls.ts';
import { cursor, id, instant, limit } from '../fields.ts';
import type { Module } from '../modules.ts';
import { CommentPage, commentsInBrief, POST_ERRORS, postId } from './comment.ts';

export const listAccountPostComments = defineTool({
  name: 'list_account_post_comments',
  summary: 'List the comments on a post of an account, even if the post is known only to the platform.',
  http: { method: 'GET', path: '/accounts/{account_id}/posts/{post_id}/comments' },
  effect: 'read',
  openWorld: true,
  access: { scope: 'inbox:read' },
  needs: 'list comments',
  input: z.object({
    account_id: id('account'),
    post_id: postId,
    since: instant.optional().describe('Written later.'),
    limit: limit(50),
    cursor,
  }),
  output: CommentPage,
  brief: commentsInBrief,
  errors: [...POST_ERRORS, ...PLATFORM_ERRORS],
  async run({ limit: most, cursor: after, ...request }, { authority }, { inbox }: Module<'inbox'>) {
    return inbox.comments.list(authority, request, { limit: most, cursor: after });
  },
});
