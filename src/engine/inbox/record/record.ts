import { holdAccount, type AccountRow } from '#db/access/accounts.ts';
import type { Tx } from '#db/store/tx.ts';
import type { RecordPosts } from '#call/ports.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import { markedComment, markedMessage } from '#platforms/shared/inbox/content.ts';
import { sanitizeEvent } from '#platforms/sanitize.ts';
import { loadCurrentIds, recordAlias, recordPostName, withCurrentIds } from './aliases.ts';
import { recordComment, recordCommentDeletion, recordCommentVisibility, recordPost, settleCounts } from './comments.ts';
import { recordMention, emitNewMentions } from './mentions.ts';
import { recordMessageDeletion, recordMessageEdit, recordNotice, recordReaction } from './message-changes.ts';
import { recordMessage, recordPostback, recordReferral } from './messages.ts';
import { recordReceipt } from './receipts.ts';
import { makeRecording, type RecordOptions, type Recording } from './recording.ts';
import { recordReview } from './reviews.ts';
import { settleThreads } from './threads.ts';

/** Stores inbound events and emits outbound ones, under the account's lock; false if the account was removed. */
export async function record(
  tx: Tx,
  account: Pick<AccountRow, 'id'>,
  events: readonly InboundEvent[],
  how: RecordOptions,
): Promise<boolean> {
  const held = await holdAccount(tx.db, tx.dialect, account.id);
  if (held !== undefined) await recordHeld(tx, held, events, how);
  return held !== undefined;
}

/** The same for an account that is locked already. Order and repeats do not matter. */
export async function recordHeld(
  tx: Tx,
  held: AccountRow,
  events: readonly InboundEvent[],
  how: RecordOptions,
): Promise<void> {
  const clean = events.flatMap((reported) => sanitizeEvent(reported, how.now) ?? []);
  if (how.way !== undefined && clean.length > 0) tx.meter.count('inbound', [held.platform, how.way], clean.length);
  const recording = makeRecording(tx, held, how, await loadCurrentIds(tx, held.id, clean));
  for (const event of clean) await recordOne(recording, withCurrentIds(event, recording.currentIds));
  await settleThreads(recording);
  await settleCounts(recording);
  await emitNewMentions(recording);
  // Emits the oldest first; events of the same time keep their order.
  for (const { event } of recording.events.toSorted((a, b) => a.at - b.at)) await tx.emit(event);
}

/** Stores an account's posts without emitting events; false if the account was removed. */
export const recordPosts: RecordPosts = (tx, account, posts, now) =>
  record(
    tx,
    account,
    posts.map((post) => ({ kind: 'post', post })),
    { now, silent: true },
  );

function recordOne(recording: Recording, event: InboundEvent): Promise<void> {
  switch (event.kind) {
    case 'comment':
      return recordComment(recording, markedComment(event.comment), event.edited === true);
    case 'comment_gone':
      return recordCommentDeletion(recording, event.platform_id);
    case 'comment_hidden':
      return recordCommentVisibility(recording, event.platform_id, event.hidden);
    case 'post':
      return recordPost(recording, event.post);
    case 'mention':
      return recordMention(recording, event.mention);
    case 'review':
      return recordReview(recording, event.review, event.edited === true);
    case 'message':
      return recordMessage(recording, event.conversation, markedMessage(event.message));
    case 'message_gone':
      return recordMessageDeletion(recording, event.platform_id);
    case 'message_edited':
      return recordMessageEdit(recording, event);
    case 'reaction':
      return recordReaction(recording, event);
    case 'notice':
      return recordNotice(recording, event);
    case 'postback':
      return recordPostback(recording, event);
    case 'referral':
      return recordReferral(recording, event);
    case 'receipt':
      return recordReceipt(recording, event);
    case 'post_named':
      return recordPostName(recording, event);
    case 'alias':
      return recordAlias(recording, event);
    // The caller handles these: it looks up a named review, and disconnects or removes the account.
    case 'review_named':
    case 'revoked':
    case 'deletion':
      return Promise.resolve();
  }
}
