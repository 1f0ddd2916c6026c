import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { COUNTED_ERRORS } from '../platform-calls.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { commentRef, POST_ERRORS } from './comment.ts';

export const deleteComment = defineTool({
  name: 'delete_comment',
  summary: 'Delete a comment on the platform; no error if it is already gone.',
  http: { method: 'DELETE', path: '/inbox/comments/{post_id}/{comment_id}' },
  effect: 'delete',
  act: 'delete',
  removes: 'comment',
  openWorld: true,
  access: { scope: 'inbox:write' },
  needs: 'delete a comment',
  input: z.object(commentRef),
  output: Done,
  errors: [...POST_ERRORS, 'resource.not_found', ...COUNTED_ERRORS],
  async run(ref, { authority }, { inbox }: Module<'inbox'>) {
    return inbox.comments.remove(authority, ref);
  },
});
