import { toolset } from '#call/tool.ts';
import { deleteComment } from './delete-comment.ts';
import { getCommentReplies } from './get-comment-replies.ts';
import { hideComment } from './hide-comment.ts';
import { likeComment } from './like-comment.ts';
import { listAccountPostComments } from './list-account-post-comments.ts';
import { listInboxPosts } from './list-inbox-posts.ts';
import { listPostComments } from './list-post-comments.ts';
import { privateReplyToComment } from './private-reply-to-comment.ts';
import { replyToComment } from './reply-to-comment.ts';
import { unhideComment } from './unhide-comment.ts';
import { unlikeComment } from './unlike-comment.ts';

export const comments = toolset('comments', 'Comments', 'Comments on posts: reading, answering, moderating.', [
  listInboxPosts,
  listPostComments,
  getCommentReplies,
  listAccountPostComments,
  replyToComment,
  deleteComment,
  hideComment,
  unhideComment,
  likeComment,
  unlikeComment,
  privateReplyToComment,
]);
