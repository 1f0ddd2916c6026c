import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { instant, named } from '../fields.ts';
import type { Module } from '../modules.ts';
import { contentFields, newContent, targetsOf } from './post.ts';

/** `target` is the account's id; `platform` is `unknown` if there is no such account. */
const Issue = named('ValidationIssue', {
  platform: z.string(),
  field: z.string(),
  message: z.string(),
  target: z.string().optional(),
  segment_index: z.int().optional(),
});

export const validatePost = defineTool({
  name: 'validate_post',
  summary: 'Check a post against the rules of its platforms without creating it.',
  http: { method: 'POST', path: '/posts/validate' },
  effect: 'read',
  access: { scope: 'posts:read' },
  input: z.object({
    ...contentFields,
    scheduled_at: instant.nullish().describe('When to publish.'),
    platforms: z.array(z.string().max(32)).max(20).nullish().describe('Default: all.'),
  }),
  output: z.looseObject({ valid: z.boolean(), errors: z.array(Issue), warnings: z.array(Issue) }),
  errors: ['account.unsupported_platform'],
  async run(input, { authority }, { posts }: Module<'posts'>) {
    return posts.validate(authority, {
      content: newContent(input),
      platforms: input.platforms ?? [],
      targets: targetsOf(input) ?? [],
      scheduledAt: input.scheduled_at ?? undefined,
    });
  },
});
