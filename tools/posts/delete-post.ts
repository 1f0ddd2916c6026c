import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { aliasOf, id, platformSlug } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Takedown } from './target.ts';

export const deletePost = defineTool({
  name: 'delete_post',
  summary: 'Delete a post, and take it down from platforms that allow it.',
  http: { method: 'DELETE', path: '/posts/{post_id}' },
  effect: 'delete',
  act: 'delete',
  removes: 'post',
  openWorld: true,
  access: { scope: 'posts:write' },
  input: z.object({
    post_id: id('post'),
    platform: platformSlug.optional().describe('Only the targets on this platform.'),
  }),
  output: z.looseObject({
    success: z.boolean(),
    ok: aliasOf('success', z.boolean()),
    deleted: z.boolean(),
    id: z.string(),
    results: z.array(Takedown),
    remaining: z
      .array(z.looseObject({ platform: platformSlug, account_id: z.string(), permalink: z.string().nullable() }))
      .describe('What is still public; a person can remove it on the platform.'),
  }),
  errors: ['post.not_found', 'post.state_invalid', 'resource.conflict', 'auth.insufficient_scope'],
  async run({ post_id, platform }, call, { posts }: Module<'posts'>) {
    return posts.remove(call, post_id, platform);
  },
});
