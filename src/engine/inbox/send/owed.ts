import { loadComment } from '#db/inbox/comments.ts';
import { loadMention } from '#db/inbox/mentions.ts';
import { newestMessage } from '#db/inbox/messages.ts';
import type { Store } from '#db/store/store.ts';
import type { Authority } from '#kernel/authority.ts';
import type { Conversations } from '../read/conversations.ts';
import { platformIdOf, type Lookup } from '../read/lookup.ts';
import type { MentionReply } from './mention-replies.ts';
import type { CommentReplyRequest } from './replies.ts';
import { makeReviewFinder, type ReviewReply } from './review-replies.ts';

type OwedDeps = Readonly<{ store: Store; lookup: Lookup; conversations: Conversations }>;

/** The item a reply would answer; `undefined` if it is the account's own, already answered or not stored. */
export function makeOwed({ store, lookup, conversations }: OwedDeps) {
  const reviewOf = makeReviewFinder({ store, lookup });

  return Object.freeze({
    async conversation(authority: Authority, id: string): Promise<string | undefined> {
      const conversation = await conversations.conversationOf(authority, id);
      const newest = await newestMessage(store.db, conversation.id);
      return newest?.direction === 'incoming' ? itemOf('dm', newest.account_id, newest.platform_id) : undefined;
    },

    async comment(
      authority: Authority,
      { post_id, comment_id, account_id }: Omit<CommentReplyRequest, 'text'>,
    ): Promise<string | undefined> {
      if (comment_id === undefined) return undefined;
      const { account, post } = await lookup.postOf(authority, post_id, account_id, comment_id);
      const row = await loadComment(store.db, account.id, platformIdOf('comment', account.platform, comment_id));
      if (row?.platform_post_id !== post || row.gone_at !== null) return undefined;
      return row.is_owner === 0 && row.is_answered === 0 ? itemOf('comment', account.id, row.platform_id) : undefined;
    },

    async review(authority: Authority, request: Omit<ReviewReply, 'text'>): Promise<string | undefined> {
      const { account, row } = await reviewOf(authority, request.review_id, request.account_id);
      return row?.reply_text === null ? itemOf('review', account.id, row.platform_id) : undefined;
    },

    async mention(
      authority: Authority,
      { account_id, mention_id, comment_id }: Omit<MentionReply, 'text'>,
    ): Promise<string | undefined> {
      // A reply to another comment does not answer the person who mentioned the account.
      if (mention_id === undefined || comment_id !== undefined) return undefined;
      const account = await lookup.accountOf(authority, account_id);
      const row = await loadMention(store.db, account.id, platformIdOf('mention', account.platform, mention_id));
      if (row?.is_answered !== 0) return undefined;
      // The same comment may be listed as a comment and as a mention; a mention may store it as a post.
      return itemOf('comment', account.id, row.comment_id ?? row.platform_post_id);
    },
  });
}

const itemOf = (kind: string, accountId: string, platformId: string) => `${kind} ${accountId} ${platformId}`;
