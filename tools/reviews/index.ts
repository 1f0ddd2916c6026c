import { toolset } from '#call/tool.ts';
import { deleteReviewReply } from './delete-review-reply.ts';
import { getReviews } from './get-reviews.ts';
import { replyToReview } from './reply-to-review.ts';
import { updateReviewReply } from './update-review-reply.ts';

export const reviews = toolset('reviews', 'Reviews', 'Reviews: reading and answering.', [
  getReviews,
  replyToReview,
  updateReviewReply,
  deleteReviewReply,
]);
