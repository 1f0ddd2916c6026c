import { insertReview, loadReview, patchReview, type ReviewRow } from '#db/inbox/reviews.ts';
import type { PlatformReview } from '#platforms/inbox-types.ts';
import { reviewReceived } from './events.ts';
import { emitsEvent, neverEmits, type Recording } from './recording.ts';

/** Stores a review; an edited one emits no event, even if it was not stored before. */
export async function recordReview(recording: Recording, review: PlatformReview, edited: boolean): Promise<void> {
  const { tx, account, silent } = recording;
  const fields = {
    rating: review.rating,
    author: review.author,
    text: review.text,
    location: review.location ?? null,
    media: review.media ?? [],
    reply_text: review.reply?.text ?? null,
    reply_updated_at: review.reply?.updated_at ?? null,
    reply_state: review.reply?.state ?? null,
    updated_at: review.updated_at,
  };
  const known = await loadReview(tx.db, account.id, review.platform_id);
  // A list shows the current state; a webhook may be older than what is stored.
  if (known !== undefined && (silent || review.updated_at > known.updated_at)) {
    await patchReview(tx.db, known, fields);
    Object.assign(known, fields);
  }
  const row: ReviewRow = known ?? {
    account_id: account.id,
    platform_id: review.platform_id,
    workspace_id: account.workspace_id,
    ...fields,
    created_at: review.created_at,
    announced: neverEmits(recording, review.created_at) ? 1 : 0,
  };
  if (known === undefined) await insertReview(tx.db, row);
  if (edited || row.announced === 1 || !emitsEvent(recording, known !== undefined, row.created_at)) return;
  await patchReview(tx.db, row, { announced: 1 });
  recording.emitLater(reviewReceived(account, row), row.updated_at);
}
