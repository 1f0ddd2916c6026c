import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { pageShape, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';
import { SavedReply } from './saved-reply.ts';

export const listSavedReplies = defineTool({
  name: 'list_saved_replies',
  summary: 'List the saved replies, newest first.',
  http: { method: 'GET', path: '/inbox/saved-replies' },
  effect: 'read',
  access: { dashboard: 'inbox:read' },
  input: z.object({
    brand_id: z.string().max(128).optional().describe('Only those for this brand, and those for all.'),
    ...wholeList,
  }),
  output: z.looseObject({ count: z.int(), data: z.array(SavedReply), ...pageShape }),
  errors: [],
  async run({ brand_id, ...page }, { authority }, { replies, lists }: Module<'replies' | 'lists'>) {
    const read = (given: Readonly<{ brand_id?: string | undefined }>) => replies.list(authority, given.brand_id);
    return lists.whole(page, { name: 'saved_replies', given: { brand_id }, read });
  },
});
