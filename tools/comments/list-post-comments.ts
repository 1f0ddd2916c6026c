import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { PLATFORM_ERRORS } from '../platform-calls.ts';
import { cursor, limit, ownAccount } from '../fields.ts';
import type { Module } from '../modules.ts';
import { CommentPage, commentsInBrief, POST_ERRORS, postId } from './comment.ts';

export const listPostComments = defineTool({
  name: 'list_post_comments',
  summary:
    'List the comments on a post, oldest first (newest first where the platform lists them so), as it shows them now.',
  http: { method: 'GET', path: '/inbox/comments/{post_id}' },
  effect: 'read',
  openWorld: true,
  access: { scope: 'inbox:read' },
  needs: 'list comments',
  input: z.object({
    post_id: postId,
    account_id: ownAccount,
    moderation_status: z.string().max(64).optional().describe('Ignored if the platform has none.'),
    order: z.enum(['recent', 'relevance']).optional().describe('Ignored if the platform cannot sort.'),
    q: z.string().max(256).optional().describe('Text to find; ignored if the platform cannot search.'),
    limit: limit(25),
    cursor,
  }),
  output: CommentPage,
  brief: commentsInBrief,
  errors: [...POST_ERRORS, ...PLATFORM_ERRORS],
  async run(
    { post_id, account_id, limit: most, cursor: after, ...filters },
    { authority },
    { inbox }: Module<'inbox'>,
  ) {
    return inbox.comments.list(authority, { post_id, account_id, filters }, { limit: most, cursor: after });
  },
});
