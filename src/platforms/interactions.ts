import type { AccountCall } from './call.ts';
import type { SkippedPage } from './inbound.ts';
import type { SentMessage } from './messages.ts';
import type { PlatformComment, PlatformMention, PlatformReview } from './inbox-types.ts';
import type { Sending, TextRule } from './sending.ts';

export type Paging = Readonly<{ limit: number; cursor?: string | undefined }>;

export type Listed<T> = Readonly<{ items: readonly T[]; cursor?: string | undefined }>;

export type PagingSince = Paging & Readonly<{ since?: number | undefined }>;

/** The post to which a comment operation applies, by the platform's ids. */
export type CommentLocation = Readonly<{ post: string; page?: string | undefined }>;

export type CommentAt = CommentLocation & Readonly<{ comment: string }>;

export type ReplyRequest = CommentLocation & Readonly<{ comment?: string | undefined; text: string }>;

export type CreatedComment = Readonly<{ comment_id: string; permalink?: string | undefined }>;

export type Comments = Readonly<{
  text: TextRule;
  /** `newest`: the platform lists the newest comments first; otherwise the oldest come first. */
  order?: 'newest';
  /** Top-level comments; an unknown post is not_found. If there is no `list` or `replies`, stored ones are listed. */
  list?(
    call: AccountCall,
    location: CommentLocation,
    page: PagingSince & Readonly<{ filters?: Readonly<Record<string, string>> }>,
  ): Promise<Listed<PlatformComment>>;
  replies?(call: AccountCall, location: CommentAt, page: PagingSince): Promise<Listed<PlatformComment>>;
  reply?: Sending<ReplyRequest, CreatedComment>;
  /** Whether an unknown id is a comment below the post or itself a post, to which other rules apply. */
  isComment(call: AccountCall, location: CommentAt): Promise<boolean>;
  /** `remove` treats a missing comment as success, and so may `hide` and `like`. */
  remove?(call: AccountCall, location: CommentAt): Promise<void>;
  hide?(call: AccountCall, location: CommentAt, hidden: boolean): Promise<void>;
  like?(call: AccountCall, location: CommentAt, liked: boolean): Promise<void>;
  privateReply?: Sending<CommentAt & Readonly<{ text: string }>, SentMessage>;
}>;

export type Mentions = Readonly<{
  /** `skipped` lists the parts that the platform refused to show. */
  list?(
    call: AccountCall,
    page: PagingSince & Readonly<{ page?: string | undefined }>,
  ): Promise<Listed<PlatformMention> & Readonly<{ skipped?: readonly SkippedPage[] }>>;
  text: TextRule;
  reply?: Sending<
    Readonly<{ post: string; comment?: string | undefined; page?: string | undefined; text: string }>,
    CreatedComment
  >;
}>;

/** `state` means the same as in `PlatformReview`. */
export type CreatedReviewReply = Readonly<{ reply_id: string; state?: string | undefined }>;

export type Reviews = Readonly<{
  text: TextRule;
  list(call: AccountCall, page: PagingSince): Promise<Listed<PlatformReview>>;
  reply: Sending<Readonly<{ review: string; text: string }>, CreatedReviewReply>;
  removeReply(call: AccountCall, review: string): Promise<void>;
}>;
