import { holdAccount, type AccountRow } from '../../../../db/access/accounts.ts';
import type { Tx } from '../../../../db/store/tx.ts';
import type { RecordPosts } from '../../../call/ports.ts';
import type { InboundEvent } from '../../../platforms/inbound.ts';
import { sanitizeEvent } from '../../../platforms/sanitize.ts';
import { commentFact, commentGone, commentHidden, postFact, settleCounts } from './comments.ts';
import { mentionFact, tellTogether } from './mentions.ts';
import { messageFact, messageGone, postbackFact, referralFact, settleThreads } from './messages.ts';
import { receiptFact } from './receipts.ts';
import { makeRecording, type How, type Recording } from './recording.ts';
import { reviewFact } from './reviews.ts';

/**
 * Makes facts about an account rows and events, each once however often and in whatever order they are told. Holds the
 * account meanwhile, so that its inbox has one writer. False when the account is gone, and then nothing is written.
 */
export async function record(
  tx: Tx,
  account: Pick<AccountRow, 'id'>,
  facts: readonly InboundEvent[],
  how: How,
): Promise<boolean> {
  const held = await holdAccount(tx.db, tx.dialect, account.id);
  if (held === undefined) return false;
  const recording = makeRecording(tx, held, how);
  for (const told of facts) {
    const fact = sanitizeEvent(told, how.now);
    if (fact !== undefined) await recordOne(recording, fact);
  }
  await settleThreads(recording);
  await settleCounts(recording);
  await tellTogether(recording);
  // Oldest first, in whatever order they were told; what happened at once stays as it was told.
  for (const { event } of recording.events.toSorted((a, b) => a.at - b.at)) await tx.emit(event);
  return true;
}

/** Stores posts of an account without events; false when the account is gone. */
export const recordPosts: RecordPosts = (tx, account, posts, now) =>
  record(
    tx,
    account,
    posts.map((post) => ({ kind: 'post', post })),
    { now, silent: true },
  );

function recordOne(recording: Recording, fact: InboundEvent): Promise<void> {
  switch (fact.kind) {
    case 'comment':
      return commentFact(recording, fact.comment, fact.edited === true);
    case 'comment_gone':
      return commentGone(recording, fact.platform_id);
    case 'comment_hidden':
      return commentHidden(recording, fact.platform_id, fact.hidden);
    case 'post':
      return postFact(recording, fact.post);
    case 'mention':
      return mentionFact(recording, fact.mention);
    case 'review':
      return reviewFact(recording, fact.review);
    case 'message':
      return messageFact(recording, fact.conversation, fact.message);
    case 'message_gone':
      return messageGone(recording, fact.platform_id);
    case 'postback':
      return postbackFact(recording, fact);
    case 'referral':
      return referralFact(recording, fact);
    case 'receipt':
      return receiptFact(recording, fact);
    // What becomes of the account itself is not for its inbox to say.
    case 'revoked':
    case 'deletion':
      return Promise.resolve();
  }
}
