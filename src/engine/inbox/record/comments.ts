import { ANSWERED_BY, hasReply, markAnswered, type AnswerPlace } from '#db/inbox/answers.ts';
import { countComments, insertComment, loadComment, patchComment, type CommentRow } from '#db/inbox/comments.ts';
import { inboxPostId, insertInboxPost, moveCommentCount, patchInboxPost, raiseCounts } from '#db/inbox/posts.ts';
import { findPostOf } from '#db/posts/targets.ts';
import type { CommentCapabilities, Person, PlatformComment, PlatformPost } from '#platforms/inbox-types.ts';
import { commentReceived } from './events.ts';
import { emitsEvent, neverEmits, type Recording } from './recording.ts';

function keyOf({ account }: Recording, platform_id: string) {
  return { account_id: account.id, workspace_id: account.workspace_id, platform_id };
}

export async function recordComment(recording: Recording, comment: PlatformComment, edited: boolean): Promise<void> {
  const { tx, account, silent } = recording;
  const known = await loadComment(tx.db, account.id, comment.platform_id);
  if (known !== undefined && known.gone_at !== null) return;
  const row = known === undefined ? await addComment(recording, comment) : known;
  if (known !== undefined && (edited || silent)) {
    // A list shows the current state; a webhook may be old, unless it reports an edit.
    const metadata = { ...known.metadata, ...comment.metadata };
    const seen = { metadata, ...(silent ? presented(comment) : { text: comment.text, media: comment.media }) };
    await patchComment(tx.db, row, seen);
    Object.assign(row, seen);
  }
  if (silent) recording.listedPosts.add(row.platform_post_id);
  if (edited || row.announced === 1 || !emitsEvent(recording, known !== undefined, row.created_at)) return;
  await patchComment(tx.db, row, { announced: 1 });
  // Comments of the account itself emit no event.
  if (row.is_owner === 1) return;
  const post = await findPostOf(tx.db, account, row.platform_post_id);
  const inbox_post_id = await inboxPostId(tx.db, account.id, row.platform_post_id);
  const page = await recording.findPage(row.page_id);
  recording.emitLater(
    commentReceived(account, row, {
      // Workflows reply using this id only, so posts that were not published from here need one too.
      post_id: post?.post_id ?? inbox_post_id,
      inbox_post_id,
      page_id: page?.id ?? row.page_id ?? undefined,
    }),
    row.created_at,
  );
}

async function addComment(recording: Recording, comment: PlatformComment): Promise<CommentRow> {
  const { tx, now, silent } = recording;
  const { platform_id, platform_post_id: post, parent_id: parent = null } = comment;
  const below = { accountId: recording.account.id, post, comment: platform_id };
  const row: CommentRow = {
    ...keyOf(recording, platform_id),
    platform_post_id: post,
    page_id: comment.page_id ?? null,
    parent_id: parent,
    is_owner: comment.is_owner ? 1 : 0,
    // A reply may be stored before the comment it replies to.
    is_answered: (await hasReply(tx.db, below)) ? ANSWERED_BY.comment : ANSWERED_BY.nothing,
    metadata: comment.metadata ?? {},
    ...presented(comment),
    gone_at: null,
    created_at: comment.created_at,
    announced: neverEmits(recording, comment.created_at) ? 1 : 0,
  };
  await insertComment(tx.db, row);
  if (comment.is_owner) await markAnswered(tx.db, { ...below, comment: parent }, 'comment');
  const key = keyOf(recording, post);
  await insertInboxPost(tx.db, key, { page_id: row.page_id, published_at: comment.created_at }, now);
  if (!silent) await moveCommentCount(tx.db, key, 1);
  return row;
}

function presented(comment: PlatformComment) {
  return {
    author: comment.author,
    text: comment.text,
    media: comment.media,
    permalink: comment.permalink ?? null,
    like_count: comment.like_count,
    reply_count: comment.reply_count,
    is_hidden: comment.is_hidden ? 1 : 0,
    is_liked: comment.is_liked ? 1 : 0,
    capabilities: comment.capabilities,
  } as const;
}

/** Fills columns of a deleted comment that are never read. */
const NOBODY = {} as Person;
const NO_CAPABILITIES = {} as CommentCapabilities;

/** Deletes the content of a comment, and keeps its id. */
export async function recordCommentDeletion(recording: Recording, platformId: string): Promise<void> {
  const { tx, account, now } = recording;
  const known = await loadComment(tx.db, account.id, platformId);
  if (known !== undefined && known.gone_at !== null) return;
  const nothing = {
    author: NOBODY,
    text: '',
    media: [],
    metadata: {},
    permalink: null,
    gone_at: now,
    announced: 1,
  } as const;
  if (known !== undefined) {
    await patchComment(tx.db, known, nothing);
    await moveCommentCount(tx.db, keyOf(recording, known.platform_post_id), -1);
    if (known.is_owner === 1 && known.parent_id !== null) await settleAnswered(recording, known);
    return;
  }
  await insertComment(tx.db, {
    ...keyOf(recording, platformId),
    platform_post_id: '',
    page_id: null,
    parent_id: null,
    is_owner: 0,
    like_count: 0,
    reply_count: 0,
    is_hidden: 0,
    is_liked: 0,
    capabilities: NO_CAPABILITIES,
    is_answered: 0,
    ...nothing,
    created_at: now,
  });
}

/** Marks a comment as unanswered if its reply was deleted and no other reply remains. */
async function settleAnswered(
  { tx, account }: Recording,
  { platform_post_id: post, parent_id }: CommentRow,
): Promise<void> {
  const place: AnswerPlace = { accountId: account.id, post, comment: parent_id };
  await markAnswered(tx.db, place, (await hasReply(tx.db, place)) ? 'comment' : 'nothing');
}

/** Records that a comment was hidden or shown again; an unknown comment will be listed with its current state. */
export async function recordCommentVisibility(
  recording: Recording,
  platformId: string,
  hidden: boolean,
): Promise<void> {
  await patchComment(recording.tx.db, keyOf(recording, platformId), { is_hidden: hidden ? 1 : 0 });
}

/** Stores a post that may have comments. Webhooks may be old, so they never lower its counts. */
export async function recordPost(recording: Recording, post: PlatformPost): Promise<void> {
  const { tx, now, silent } = recording;
  const key = keyOf(recording, post.platform_id);
  const fields = {
    page_id: post.page_id ?? null,
    content: post.text,
    thumbnail: post.thumbnail ?? null,
    permalink: post.permalink ?? null,
    published_at: post.published_at,
  };
  const counts = { comment_count: post.comment_count, like_count: post.like_count };
  if (await insertInboxPost(tx.db, key, { ...fields, ...counts }, now)) return;
  await patchInboxPost(tx.db, key, { ...present(fields), ...(silent && counts) }, now);
  if (!silent) await raiseCounts(tx.db, key, { comments: post.comment_count, likes: post.like_count });
}

/** The members that have a value; the others are left as stored. */
function present<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== '')) as Partial<T>;
}

/** Raises the comment counts of listed posts to the number of stored comments, if that is higher. */
export async function settleCounts(recording: Recording): Promise<void> {
  const { tx, account } = recording;
  for (const post of recording.listedPosts) {
    const comments = await countComments(tx.db, account.id, post);
    await raiseCounts(tx.db, keyOf(recording, post), { comments });
  }
}
