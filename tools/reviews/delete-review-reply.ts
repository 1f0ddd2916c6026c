import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { PLATFORM_ERRORS } from '../platform-calls.ts';
import { Done, ownAccount } from '../fields.ts';
import type { Module } from '../modules.ts';
import { reviewId } from './review.ts';

export const deleteReviewReply = defineTool({
  name: 'delete_review_reply',
  summary: 'Delete the answer to a review.',
  http: { method: 'DELETE', path: '/inbox/reviews/{review_id}/reply' },
  effect: 'delete',
  act: 'delete',
  removes: 'reply',
  openWorld: true,
  access: { scope: 'inbox:write' },
  needs: 'reply to a review',
  input: z.object({ review_id: reviewId, account_id: ownAccount }),
  output: Done,
  errors: ['resource.not_found', ...PLATFORM_ERRORS],
  async run({ review_id, account_id }, { authority }, { inbox }: Module<'inbox'>) {
    return inbox.reviews.removeReply(authority, review_id, account_id);
  },
});
