import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Post } from './post.ts';

export const getPost = defineTool({
  name: 'get_post',
  summary: 'Show one post with the result, error and attempts of each target.',
  http: { method: 'GET', path: '/posts/{post_id}' },
  effect: 'read',
  access: { scope: 'posts:read' },
  input: z.object({ post_id: z.string().min(1).max(512).describe("Our id or the platform's.") }),
  output: Post,
  errors: ['post.not_found', 'resource.conflict'],
  async run({ post_id }, { authority }, { posts }: Module<'posts'>) {
    return posts.get(authority, post_id);
  },
});
