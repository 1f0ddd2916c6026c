import { z } from 'zod';
import { defineTool, recordedAnswer } from '#call/tool.ts';
import { aliasOf, id, idList } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Takedown } from './target.ts';

export const unpublishPost = defineTool({
  name: 'unpublish_post',
  summary: 'Take a published post down from some or all of its targets; with none left, the post is removed.',
  http: { method: 'POST', path: '/posts/{post_id}/unpublish' },
  effect: 'delete',
  act: 'delete',
  removes: 'post',
  openWorld: true,
  access: { scope: 'posts:write' },
  needs: 'unpublish',
  input: z.object({
    post_id: id('post'),
    account_id: z.string().max(128).optional().describe('One account to take it down from.'),
    account_ids: idList('accounts to take it down from; all when left out').min(1).optional(),
  }),
  output: z.looseObject({
    success: z.boolean(),
    ok: aliasOf('success', z.boolean()),
    id: z.string(),
    unpublished_count: z.int(),
    results: z.array(Takedown),
  }),
  errors: [
    'post.not_found',
    'post.state_invalid',
    'account.not_found',
    'account.reconnection_required',
    'resource.not_supported',
    'resource.conflict',
    'auth.insufficient_scope',
    'platform.*',
  ],
  async run({ post_id, account_id, account_ids }, call, { posts }: Module<'posts'>) {
    return posts.unpublish(call, post_id, account_ids ?? (account_id === undefined ? undefined : [account_id]));
  },
  resume: recordedAnswer,
});
