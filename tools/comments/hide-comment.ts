import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { PLATFORM_ERRORS } from '../platform-calls.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { commentRef, POST_ERRORS } from './comment.ts';

export const hideComment = defineTool({
  name: 'hide_comment',
  summary: 'Hide a comment from others on the platform.',
  http: { method: 'POST', path: '/inbox/comments/{post_id}/{comment_id}/hide' },
  effect: 'update',
  act: 'moderate',
  idempotent: true,
  destructive: true,
  openWorld: true,
  access: { scope: 'inbox:write' },
  needs: 'hide a comment',
  input: z.object(commentRef),
  output: Done,
  errors: [...POST_ERRORS, 'resource.not_found', ...PLATFORM_ERRORS],
  async run(ref, { authority }, { inbox }: Module<'inbox'>) {
    return inbox.comments.hide(authority, ref, true);
  },
});
