import { ANSWERED_BY, hasReply } from '#db/inbox/answers.ts';
import { loadComment } from '#db/inbox/comments.ts';
import { insertMention, loadMention, patchMention, type MentionRow } from '#db/inbox/mentions.ts';
import type { PlatformMention } from '#platforms/inbox-types.ts';
import { mentionReceived, mentionRecord } from './events.ts';
import { emitsEvent, neverEmits, type Recording } from './recording.ts';

export async function recordMention(recording: Recording, mention: PlatformMention): Promise<void> {
  const { tx, account, together } = recording;
  const known = await loadMention(tx.db, account.id, mention.platform_id);
  const row = known ?? (await addMention(recording, mention));
  if (row.announced === 1 || together || !emitsEvent(recording, known !== undefined, row.created_at)) return;
  await patchMention(tx.db, row, { announced: 1 });
  recording.emitLater(mentionReceived(account, await presented(recording, row)), row.created_at);
}

async function addMention(recording: Recording, mention: PlatformMention): Promise<MentionRow> {
  const { tx, account, together } = recording;
  const row: MentionRow = {
    account_id: account.id,
    platform_id: mention.platform_id,
    workspace_id: account.workspace_id,
    page_id: mention.page_id ?? null,
    platform_post_id: mention.platform_post_id,
    comment_id: mention.comment_id ?? null,
    mention_type: mention.mention_type,
    author: mention.author,
    text: mention.text,
    media: mention.media,
    permalink: mention.permalink ?? null,
    created_at: mention.created_at,
    announced: together || neverEmits(recording, mention.created_at) ? 1 : 0,
    is_answered: await answerOf(recording, mention),
  };
  await insertMention(tx.db, row);
  if (together) recording.newMentions.push(row);
  return row;
}

/** Whether the comment or post with the mention has already been answered, as far as is stored. */
async function answerOf(
  { tx, account }: Recording,
  { platform_post_id: post, comment_id: comment }: PlatformMention,
): Promise<MentionRow['is_answered']> {
  const item = comment ?? post;
  const stored = await loadComment(tx.db, account.id, item);
  if (stored !== undefined && stored.is_answered !== ANSWERED_BY.nothing) return stored.is_answered;
  return (await hasReply(tx.db, { accountId: account.id, post, comment: comment ?? null }))
    ? ANSWERED_BY.comment
    : ANSWERED_BY.nothing;
}

async function presented(recording: Recording, row: MentionRow) {
  const page = await recording.findPage(row.page_id);
  return mentionRecord(recording.account, row, page?.id ?? row.page_id ?? undefined);
}

/** Emits one event for all new mentions of a list; its `data` is an array. */
export async function emitNewMentions(recording: Recording): Promise<void> {
  const mentions = [];
  for (const row of recording.newMentions) mentions.push(await presented(recording, row));
  if (mentions.length > 0) recording.emitLater(mentionReceived(recording.account, mentions), recording.now);
}
