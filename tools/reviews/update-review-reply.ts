import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { callerOf, PLATFORM_ERRORS } from '../platform-calls.ts';
import type { Module } from '../modules.ts';
import { replyFields, ReviewAnswer } from './review.ts';

export const updateReviewReply = defineTool({
  name: 'update_review_reply',
  summary: 'Change the answer to a review.',
  http: { method: 'PUT', path: '/inbox/reviews/{review_id}/reply' },
  effect: 'update',
  act: 'comment',
  idempotent: true,
  openWorld: true,
  access: { scope: 'inbox:write' },
  needs: 'reply to a review',
  input: z.object(replyFields),
  output: ReviewAnswer,
  errors: ['resource.not_found', ...PLATFORM_ERRORS],
  async run(request, call, { inbox }: Module<'inbox'>) {
    return inbox.reviews.updateReply(callerOf(call), request);
  },
});
