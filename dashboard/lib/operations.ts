import type { z } from 'zod';
import type { listAccounts } from '#tools/accounts/list-accounts.ts';
import type { listAccountPages } from '#tools/accounts/list-account-pages.ts';
import type { listBrands } from '#tools/brands/list-brands.ts';
import type { Event } from '#tools/events/event.ts';
import type { getMediaUploadUrl } from '#tools/media/get-media-upload-url.ts';
import type { uploadMedia } from '#tools/media/upload-media.ts';
import type { verifyMediaUpload } from '#tools/media/verify-media-upload.ts';
import type { createPost } from '#tools/posts/create-post.ts';
import type { deletePost } from '#tools/posts/delete-post.ts';
import type { getConstraints } from '#tools/posts/get-constraints.ts';
import type { getPost } from '#tools/posts/get-post.ts';
import type { getPostMetrics } from '#tools/posts/get-post-metrics.ts';
import type { listPostLogs } from '#tools/posts/list-post-logs.ts';
import type { listPosts } from '#tools/posts/list-posts.ts';
import type { publishPost } from '#tools/posts/publish-post.ts';
import type { retryPost } from '#tools/posts/retry-post.ts';
import type { unpublishPost } from '#tools/posts/unpublish-post.ts';
import type { updatePost } from '#tools/posts/update-post.ts';
import type { validatePost } from '#tools/posts/validate-post.ts';

/** The operations that pages call, by their declarations. */
type Operations = {
  create_post: typeof createPost;
  delete_post: typeof deletePost;
  get_constraints: typeof getConstraints;
  get_media_upload_url: typeof getMediaUploadUrl;
  get_post: typeof getPost;
  get_post_metrics: typeof getPostMetrics;
  list_account_pages: typeof listAccountPages;
  list_accounts: typeof listAccounts;
  list_brands: typeof listBrands;
  list_post_logs: typeof listPostLogs;
  list_posts: typeof listPosts;
  publish_post: typeof publishPost;
  retry_post: typeof retryPost;
  unpublish_post: typeof unpublishPost;
  update_post: typeof updatePost;
  upload_media: typeof uploadMedia;
  validate_post: typeof validatePost;
  verify_media_upload: typeof verifyMediaUpload;
};

export type OperationName = keyof Operations;
export type Input<N extends OperationName> = z.input<Operations[N]['input']>;
export type Answer<N extends OperationName> = z.output<Operations[N]['output']>;

/** The method and path of each; a test compares them with the declarations. */
export const ROUTES: Readonly<Record<OperationName, `${string} /${string}`>> = {
  create_post: 'POST /posts',
  delete_post: 'DELETE /posts/{post_id}',
  get_constraints: 'GET /posts/validate',
  get_media_upload_url: 'GET /media/upload-url',
  get_post: 'GET /posts/{post_id}',
  get_post_metrics: 'GET /posts/{post_id}/metrics',
  list_account_pages: 'GET /accounts/{account_id}/pages',
  list_accounts: 'GET /accounts',
  list_brands: 'GET /brands',
  list_post_logs: 'GET /posts/logs',
  list_posts: 'GET /posts',
  publish_post: 'POST /posts/{post_id}/publish',
  retry_post: 'POST /posts/{post_id}/retry',
  unpublish_post: 'POST /posts/{post_id}/unpublish',
  update_post: 'PATCH /posts/{post_id}',
  upload_media: 'POST /media/upload',
  validate_post: 'POST /posts/validate',
  verify_media_upload: 'POST /media/{media_id}/verify',
};

export type Post = Answer<'get_post'>;
export type Target = Post['targets'][number];
export type LogEntry = Answer<'list_post_logs'>['data'][number];
export type Account = Answer<'list_accounts'>['data'][number];
export type Brand = Answer<'list_brands'>['data'][number];
export type LogEvent = z.output<typeof Event>;
