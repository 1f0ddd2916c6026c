import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { nextPageToken } from '../googleapis/api.ts';
import type { Reviews } from '../interactions.ts';
import type { PlatformReview } from '../inbox-types.ts';
import { instant, readable, text, word } from '../shared/fields.ts';
import { path } from '../shared/rest.ts';
import { atLocation, Nothing, sessionOf } from './api.ts';

export const PER_PAGE = 50;
const LONGEST_REPLY = 4096;
const STARS = Object.freeze(['ONE', 'TWO', 'THREE', 'FOUR', 'FIVE'] as const);
const NOBODY = 'A Google user';

/** The state of Google's moderation of a reply; Google's sources name the field in two ways. */
const stateFields = { state: text, reviewReplyState: text };
const stateOf = ({
  state,
  reviewReplyState,
}: Readonly<{ state?: string | undefined; reviewReplyState?: string | undefined }>) => state ?? reviewReplyState;
const Reply = z.object({ comment: z.string(), updateTime: instant, ...stateFields });

const Review = z.object({
  reviewId: z.string().min(1),
  reviewer: z
    .object({ displayName: word, profilePhotoUrl: text })
    .catch({ displayName: '', profilePhotoUrl: undefined }),
  starRating: z.enum(STARS),
  comment: word,
  createTime: instant,
  updateTime: instant,
  reviewReply: Reply.optional().catch(undefined),
  reviewMediaItems: z
    .array(z.object({ thumbnailUrl: text, videoUrl: text }))
    .optional()
    .catch(undefined),
});
const Listed = z.object({ reviews: z.array(z.unknown()).default([]), nextPageToken });

/** Converts a review; Google gives no ids of reviewers. */
function reviewOf(review: z.output<typeof Review>, location: string): PlatformReview {
  const {
    reviewId,
    reviewer,
    starRating,
    comment,
    createTime,
    updateTime,
    reviewReply,
    reviewMediaItems = [],
  } = review;
  return {
    platform_id: reviewId,
    rating: STARS.indexOf(starRating) + 1,
    author: { id: '', name: reviewer.displayName || NOBODY, avatar_url: reviewer.profilePhotoUrl },
    text: comment,
    location: `locations/${location}`,
    media: reviewMediaItems.flatMap(({ thumbnailUrl, videoUrl }) => {
      const url = videoUrl ?? thumbnailUrl;
      return url === undefined ? [] : [{ type: videoUrl === undefined ? 'image' : 'video', url }];
    }),
    reply: reviewReply && {
      text: reviewReply.comment,
      updated_at: Date.parse(reviewReply.updateTime),
      state: stateOf(reviewReply),
    },
    created_at: Date.parse(createTime),
    updated_at: Date.parse(updateTime),
  };
}

export async function listReviews(
  call: AccountCall,
  { limit, cursor: pageToken }: Readonly<{ limit: number; cursor?: string | undefined }>,
) {
  const query = { pageSize: Math.min(limit, PER_PAGE), pageToken, orderBy: 'updateTime desc' };
  const listed = await atLocation(call, { path: '/reviews' }, { method: 'GET', query }, Listed);
  const { location } = sessionOf(call.session);
  const items = readable(Review, listed.reviews).map((review) => reviewOf(review, location));
  return { items, cursor: listed.nextPageToken };
}

export async function readReview(call: AccountCall, review: string): Promise<PlatformReview> {
  const found = await atLocation(call, path`/reviews/${{ review }}`, { method: 'GET' }, Review);
  return reviewOf(found, sessionOf(call.session).location);
}

export const reviews: Reviews = {
  text: { max: LONGEST_REPLY, counting: 'bytes' },
  list: listReviews,
  reply: {
    // A review has only one reply, which a new one replaces.
    idempotent: true,
    async send(call, { review, text: comment }) {
      const request = { method: 'PUT', json: { comment } } as const;
      const reply = await atLocation(call, path`/reviews/${{ review }}/reply`, request, z.object(stateFields));
      return { reply_id: review, state: stateOf(reply) };
    },
  },
  removeReply: async (call, review) =>
    void (await atLocation(call, path`/reviews/${{ review }}/reply`, { method: 'DELETE' }, Nothing)),
};
