import { z } from 'zod';
import { aliasOf, named, ownAccount, Person, platformSlug, untrusted, time, words } from '../fields.ts';

/** A platform may review a reply before it is visible. */
const replyState = z.string().optional().describe("The platform's word, such as PENDING.");

export const Review = named('Review', {
  id: z.string(),
  type: z.literal('review'),
  account_id: z.string(),
  platform: platformSlug,
  platform_id: z.string(),
  rating: z.int(),
  author: Person,
  author_name: aliasOf('author.name', z.string().meta(untrusted)),
  text: aliasOf('content.text', z.string().meta(untrusted)),
  content: z.looseObject({ text: z.string().meta(untrusted), media: z.array(z.looseObject({})) }),
  reply: z.looseObject({ text: z.string(), updated_at: time, state: replyState }).nullable(),
  answered: z.boolean(),
  created_at: time,
  updated_at: time,
  metadata: z.record(z.string(), z.unknown()).meta(untrusted),
});

export const reviewId = z.string().min(1).max(1024).describe("Our id or the platform's.");

export const replyFields = {
  review_id: reviewId,
  text: words(4096).describe('Text to send.'),
  account_id: ownAccount,
};

export const ReviewAnswer = named('ReviewAnswer', { success: z.boolean(), reply_id: z.string(), state: replyState });
