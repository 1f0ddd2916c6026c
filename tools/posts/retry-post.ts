import { z } from 'zod';
import { defineTool, recordedAnswer } from '#call/tool.ts';
import { aliasOf, id } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Post } from './post.ts';

export const retryPost = defineTool({
  name: 'retry_post',
  summary: 'Publish the failed targets of a post again; the result comes as an event.',
  http: { method: 'POST', path: '/posts/{post_id}/retry' },
  effect: 'send',
  act: 'post',
  openWorld: true,
  access: { scope: 'posts:write' },
  meter: 'post',
  input: z.object({
    post_id: id('post'),
    confirm_not_published: z
      .boolean()
      .default(false)
      .describe('Confirms that you checked the platform and the post is not there.'),
  }),
  output: Post.extend({ success: z.boolean(), ok: aliasOf('success', z.boolean()), retried_count: z.int() }),
  errors: [
    'post.not_found',
    'post.state_invalid',
    'post.no_retryable_deliveries',
    'validation.post_limit_exhausted',
    'resource.conflict',
    'auth.insufficient_scope',
  ],
  async run({ post_id, confirm_not_published }, call, { posts }: Module<'posts'>) {
    return posts.retry(call, post_id, confirm_not_published);
  },
  resume: recordedAnswer,
});
