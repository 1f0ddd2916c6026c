import { z } from 'zod';
import type { SendBegun } from '#call/sends.ts';
import { defineTool } from '#call/tool.ts';
import { callerOf, PLATFORM_ERRORS } from '../platform-calls.ts';
import type { Module } from '../modules.ts';
import { replyFields, ReviewAnswer } from './review.ts';

export const replyToReview = defineTool({
  name: 'reply_to_review',
  summary: 'Answer a review in public; an existing answer is replaced.',
  http: { method: 'POST', path: '/inbox/reviews/{review_id}/reply' },
  effect: 'send',
  act: 'comment',
  openWorld: true,
  access: { scope: 'inbox:write' },
  needs: 'reply to a review',
  meter: 'interaction',
  input: z.object(replyFields),
  output: ReviewAnswer,
  errors: ['resource.not_found', ...PLATFORM_ERRORS, 'validation.interaction_limit_exhausted'],
  async answers(request, { authority }, { inbox }) {
    return inbox.owed.review(authority, request);
  },
  async run(request, call, { inbox }: Module<'inbox'>) {
    return inbox.reviews.reply(callerOf(call), request);
  },
  async resume(begun: SendBegun, request, call, { inbox }) {
    return inbox.reviews.reply(callerOf(call), request, begun);
  },
});
