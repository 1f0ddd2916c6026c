import { z } from 'zod';
import { briefList } from '#call/detail.ts';
import {
  aliasOf,
  Content,
  minor,
  named,
  ownAccount,
  pageShape,
  Person,
  platformSlug,
  untrusted,
  time,
} from '../fields.ts';

export const InboxPost = named('InboxPost', {
  id: z.string(),
  user_id: z.string(),
  account_id: z.string(),
  page_id: z.string().nullable(),
  platform: platformSlug,
  platform_id: z.string(),
  content: z.string().meta(untrusted),
  thumbnail: z.string().nullable(),
  permalink: z.string().nullable(),
  comment_count: z.int(),
  like_count: z.int(),
  published_at: time,
  created_at: time,
  updated_at: time,
});

/** Every field name that clients know; flat and nested ones have the same values. */
export const Comment = named('Comment', {
  id: z.string(),
  type: z.literal('comment'),
  account_id: z.string(),
  platform: platformSlug,
  platform_id: z.string(),
  inbox_post_id: z.string(),
  platform_post_id: z.string(),
  parent_id: z.string().nullable(),
  author: Person,
  content: Content,
  text: aliasOf('content.text', z.string().meta(untrusted)),
  author_id: aliasOf('author.id', z.string()),
  author_name: aliasOf('author.name', z.string().meta(untrusted)),
  author_username: aliasOf('author.username', z.string().nullable().meta(untrusted)),
  author_picture: aliasOf('author.avatar_url', z.string().nullable()),
  author_profile_url: z.string().nullable(),
  permalink: z.string().nullable(),
  is_owner: z.boolean(),
  is_hidden: z.boolean(),
  is_liked: z.boolean(),
  answered: z.boolean().describe('By this account, in public or in private.'),
  liked_by_viewer: aliasOf('is_liked', z.boolean()),
  like_count: z.int(),
  reply_count: z.int(),
  has_replies: z.boolean(),
  capabilities: named('CommentCapabilities', {
    can_reply: z.boolean(),
    can_delete: z.boolean(),
    can_hide: z.boolean(),
    can_like: z.boolean(),
    can_private_reply: z.boolean(),
  }),
  created_at: time,
  metadata: z.record(z.string(), z.unknown()).meta(untrusted),
});

export const CommentPage = named('CommentPage', { count: z.int().meta(minor), data: z.array(Comment), ...pageShape });

export const commentsInBrief = briefList(CommentPage, 'data', {
  fields: ['id', 'parent_id', 'author_name', 'text', 'created_at', 'is_owner', 'is_hidden', 'answered', 'reply_count'],
  text: 'text',
  made: {
    shape: {
      media: z.array(z.string()).describe('The type of each.'),
      can_reply: z.boolean().nullable().describe('False where no reply is possible.'),
    },
    of: ({ content, capabilities }) => ({
      media: content.media.map(({ type }) => type),
      can_reply: capabilities.can_reply ? null : false,
    }),
  },
});

/** Refusals of operations about a post: unknown, or not public yet. */
export const POST_ERRORS = ['post.not_found', 'post.state_invalid'] as const;

export const postId = z.string().min(1).max(512).describe("Our id or the platform's.");
export const commentId = z.string().min(1).max(1024).describe("Our id or the platform's.");

export const commentRef = { post_id: postId, comment_id: commentId, account_id: ownAccount };
