import { z } from 'zod';
import { onlyIn } from '#call/input.ts';
import { defineTool } from '#call/tool.ts';
import { hasTime, id, instant } from '../fields.ts';
import type { Module } from '../modules.ts';
import { asRead, CLEARABLE, CONTENT_ERRORS, contentFields, namedContent, nullsOf, Post, targetsOf } from './post.ts';

const Input = z.object({
  post_id: id('post'),
  ...contentFields,
  scheduled_at: instant.nullish().describe('New time; null: a draft.'),
  clear: onlyIn('mcp', z.array(z.enum(CLEARABLE)).max(CLEARABLE.length).optional().describe('Fields to empty.')),
  hidden: z.boolean().optional().describe('Hide from lists.'),
  if_updated_at: asRead,
});

function changesOf({ clear, ...named }: z.output<typeof Input>) {
  const input = { ...named, ...nullsOf(named, clear) };
  return {
    content: namedContent(input),
    targets: targetsOf(input) ?? (input.targets === null ? [] : undefined),
    scheduledAt: input.scheduled_at,
    hidden: input.hidden,
    skipValidation: input.skip_validation,
    ifUpdatedAt: input.if_updated_at,
  };
}

export const updatePost = defineTool({
  name: 'update_post',
  summary: 'Edit a draft, scheduled or failed post; lists are replaced whole.',
  http: { method: 'PATCH', path: '/posts/{post_id}' },
  effect: 'update',
  act: 'post',
  idempotent: true,
  openWorld: true,
  whilePaused: () => true,
  access: { scope: 'posts:write' },
  meter: 'post',
  input: Input,
  output: Post,
  errors: [...CONTENT_ERRORS, 'post.not_found', 'post.state_invalid', 'resource.conflict', 'auth.insufficient_scope'],
  lighter: {
    act: 'draft',
    when: (input) => !hasTime(input),
    how: 'A draft may be changed as long as it gets no time.',
  },
  async run(input, call, { posts }: Module<'posts'>) {
    return posts.update(call, input.post_id, changesOf(input));
  },
});
