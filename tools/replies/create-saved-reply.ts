import { z } from 'zod';
import { defineTool, recordedAnswer } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { replyBrand, replyName, replyText, SavedReply } from './saved-reply.ts';

export const createSavedReply = defineTool({
  name: 'create_saved_reply',
  summary: 'Save a text to answer with again.',
  http: { method: 'POST', path: '/inbox/saved-replies', status: 201 },
  effect: 'create',
  act: 'admin',
  access: { dashboard: 'inbox:write' },
  input: z.object({
    name: replyName,
    text: replyText,
    brand_id: replyBrand.default(null).describe('The brand it is for; all of them without one.'),
  }),
  output: SavedReply,
  errors: ['brand.not_found', 'resource.conflict'],
  async run(written, { authority }, { replies }: Module<'replies'>) {
    return replies.create(authority, written);
  },
  resume: recordedAnswer,
});
