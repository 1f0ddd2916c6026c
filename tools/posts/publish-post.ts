import { z } from 'zod';
import { answer } from '#call/context.ts';
import { defineTool } from '#call/tool.ts';
import { id } from '../fields.ts';
import type { Module } from '../modules.ts';
import { asRead, CONTENT_ERRORS, Post, publishStatus } from './post.ts';

export const publishPost = defineTool({
  name: 'publish_post',
  summary: 'Publish a draft or scheduled post now and wait up to 20 s for the result.',
  http: { method: 'POST', path: '/posts/{post_id}/publish', status: 201, also: [207] },
  effect: 'send',
  act: 'post',
  openWorld: true,
  access: { scope: 'posts:write' },
  meter: 'post',
  input: z.object({ post_id: id('post'), if_updated_at: asRead }),
  output: Post,
  errors: [
    ...CONTENT_ERRORS,
    'post.not_found',
    'post.state_invalid',
    'post.publish_failed',
    'resource.conflict',
    'auth.insufficient_scope',
    'platform.*',
  ],
  async run({ post_id, if_updated_at }, call, { posts }: Module<'posts'>) {
    const post = await posts.publish(call, post_id, if_updated_at);
    return answer(post, { status: publishStatus(post.status) });
  },
  async resume(_, { post_id }, { authority }, { posts }) {
    const post = await posts.outcome(authority, post_id);
    return answer(post, { status: publishStatus(post.status) });
  },
});
