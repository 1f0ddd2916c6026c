import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done, id } from '../fields.ts';
import type { Module } from '../modules.ts';

export const deleteSavedReply = defineTool({
  name: 'delete_saved_reply',
  summary: 'Delete a saved reply.',
  http: { method: 'DELETE', path: '/inbox/saved-replies/{saved_reply_id}' },
  effect: 'delete',
  act: 'admin',
  removes: 'saved_reply',
  access: { dashboard: 'inbox:write' },
  input: z.object({ saved_reply_id: id('saved reply') }),
  output: Done,
  errors: ['resource.not_found'],
  async run({ saved_reply_id }, { authority }, { replies }: Module<'replies'>) {
    return replies.remove(authority, saved_reply_id);
  },
});
