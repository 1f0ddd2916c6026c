import { z } from 'zod';
import { onlyIn } from '#call/input.ts';
import { defineTool } from '#call/tool.ts';
import { id, instant, minor } from '../fields.ts';
import type { Module } from '../modules.ts';
import { CLEARABLE, CONTENT_ERRORS, contentFields, namedContent, nullsOf, Post, targetsOf } from './post.ts';
import { hasTime } from './times.ts';

export const updatePost = defineTool({
  name: 'update_post',
  summary: 'Edit a draft, scheduled or failed post: what is named replaces what was, lists as a whole.',
  http: { method: 'PATCH', path: '/posts/{post_id}' },
  effect: 'update',
  act: 'post',
  idempotent: true,
  openWorld: true,
  access: { scope: 'posts:write' },
  meter: 'post',
  input: z.object({
    post_id: id('post'),
    ...contentFields,
    scheduled_at: instant.nullish().describe('New time; without one it is a draft.'),
    clear: onlyIn('mcp', z.array(z.enum(CLEARABLE)).max(CLEARABLE.length).optional().describe('Fields to empty.')),
    hidden: z.boolean().optional().describe('Hide from lists.'),
    if_updated_at: instant
      .optional()
      .describe('The updated_at that was read: refused with resource.conflict if it changed since.')
      .meta(minor),
  }),
  output: Post,
  errors: [...CONTENT_ERRORS, 'post.not_found', 'post.state_invalid', 'resource.conflict', 'auth.insufficient_scope'],
  lighter: {
    act: 'draft',
    when: (input) => !hasTime(input),
  },
  async run({ clear, ...named }, call, { posts }: Module<'posts'>) {
    const input = { ...named, ...nullsOf(named, clear) };
    return posts.update(call, input.post_id, {
      content: namedContent(input),
      targets: targetsOf(input) ?? (input.targets === null ? [] : undefined),
      scheduledAt: input.scheduled_at,
      hidden: input.hidden,
      skipValidation: input.skip_validation,
      ifUpdatedAt: input.if_updated_at,
    });
  },
});
