import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { id } from '../fields.ts';
import type { Module } from '../modules.ts';
import { replyBrand, replyName, replyText, SavedReply } from './saved-reply.ts';

export const updateSavedReply = defineTool({
  name: 'update_saved_reply',
  summary: 'Change a saved reply.',
  http: { method: 'PATCH', path: '/inbox/saved-replies/{saved_reply_id}' },
  effect: 'update',
  act: 'admin',
  idempotent: true,
  access: { dashboard: 'inbox:write' },
  input: z.object({
    saved_reply_id: id('saved reply'),
    name: replyName.optional(),
    text: replyText.optional(),
    brand_id: replyBrand.optional().describe('Null makes it one for all brands.'),
  }),
  output: SavedReply,
  errors: ['resource.not_found', 'brand.not_found'],
  async run({ saved_reply_id, ...change }, { authority }, { replies }: Module<'replies'>) {
    return replies.change(authority, saved_reply_id, change);
  },
});
