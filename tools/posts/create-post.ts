import { z } from 'zod';
import { answer } from '#call/context.ts';
import { defineTool } from '#call/tool.ts';
import { hasTime, instant } from '../fields.ts';
import type { Module } from '../modules.ts';
import { CONTENT_ERRORS, contentFields, newContent, Post, publishStatus, targetsOf } from './post.ts';

const input = z.object({
  ...contentFields,
  scheduled_at: instant.nullish().describe('When to publish.'),
  publish_now: z.boolean().default(false).describe('Publish now, wait up to 20 s.'),
  skip_duplicate_check: z.boolean().default(false).describe('Allow a repeat within 24 h.'),
});

const draftOf = (given: z.output<typeof input>) => ({
  content: newContent(given),
  targets: targetsOf(given) ?? [],
  scheduledAt: given.scheduled_at ?? undefined,
  publishNow: given.publish_now,
  skipDuplicateCheck: given.skip_duplicate_check,
  skipValidation: given.skip_validation,
});

export const createPost = defineTool({
  name: 'create_post',
  summary: 'Create a post: a draft, or published now, or at a future time.',
  http: { method: 'POST', path: '/posts', status: 201, also: [207] },
  effect: 'create',
  act: 'post',
  openWorld: true,
  whilePaused: ({ publish_now }) => !publish_now,
  access: { scope: 'posts:write' },
  meter: 'post',
  input,
  output: Post,
  errors: [
    ...CONTENT_ERRORS,
    'post.not_found',
    'post.publish_failed',
    'resource.conflict',
    'auth.insufficient_scope',
    'platform.*',
  ],
  lighter: {
    act: 'draft',
    when: (given) => !given.publish_now && !hasTime(given),
    how: 'Without publish_now and without a time, this call makes a draft.',
  },
  async run(given, { authority, workspace, progress }, { posts }: Module<'posts'>) {
    const draft = draftOf(given);
    const post = await posts.create(authority, workspace, draft, progress);
    return answer(post, { status: publishStatus(post.status) });
  },
  async resume({ id }: Readonly<{ id: string }>, _, { authority }, { posts }) {
    const post = await posts.outcome(authority, id);
    return answer(post, { status: publishStatus(post.status) });
  },
});
