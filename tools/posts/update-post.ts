import { z } from 'zod';
import { defineTool } from '../../src/call/tool.ts';
import { id, instant } from '../fields.ts';
import type { Room } from '../rooms.ts';
import { CONTENT_ERRORS, contentFields, namedContent, Post, targetsOf } from './post.ts';

export const updatePost = defineTool({
  name: 'update_post',
  summary:
    'Edit a draft, scheduled or failed post: arrays replace, null clears, a scheduled_at of null makes it a draft.',
  http: { method: 'PATCH', path: '/posts/{post_id}' },
  effect: 'update',
  idempotent: true,
  openWorld: true,
  access: { scope: 'posts:write' },
  meter: 'post',
  input: z.object({
    post_id: id('post'),
    ...contentFields,
    scheduled_at: instant.nullish().describe('New time; null makes a scheduled post a draft again.'),
    hidden: z.boolean().optional().describe('Hide the post from lists, whatever its state.'),
  }),
  output: Post,
  errors: [...CONTENT_ERRORS, 'post.not_found', 'post.state_invalid', 'auth.insufficient_scope'],
  async run(input, { reach, workspace }, { posts }: Room<'posts'>) {
    return posts.update(reach, workspace, input.post_id, {
      content: namedContent(input),
      targets: targetsOf(input) ?? (input.targets === null ? [] : undefined),
      scheduledAt: input.scheduled_at,
      hidden: input.hidden,
      skipValidation: input.skip_validation,
    });
  },
});
