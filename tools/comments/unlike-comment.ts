import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { PLATFORM_ERRORS } from '../platform-calls.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { commentRef, POST_ERRORS } from './comment.ts';

export const unlikeComment = defineTool({
  name: 'unlike_comment',
  summary: 'Remove the like of the account from a comment.',
  http: { method: 'DELETE', path: '/inbox/comments/{post_id}/{comment_id}/like' },
  effect: 'update',
  act: 'moderate',
  idempotent: true,
  openWorld: true,
  access: { scope: 'inbox:write' },
  needs: 'like a comment',
  input: z.object(commentRef),
  output: Done,
  errors: [...POST_ERRORS, 'resource.not_found', ...PLATFORM_ERRORS],
  async run(ref, { authority }, { inbox }: Module<'inbox'>) {
    return inbox.comments.like(authority, ref, false);
  },
});
