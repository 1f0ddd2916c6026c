import type { z } from 'zod';
import type { listAccounts } from '#tools/accounts/list-accounts.ts';
import type { Event } from '#tools/events/event.ts';
import type { deletePost } from '#tools/posts/delete-post.ts';
import type { getPost } from '#tools/posts/get-post.ts';
import type { getPostMetrics } from '#tools/posts/get-post-metrics.ts';
import type { listPostLogs } from '#tools/posts/list-post-logs.ts';
import type { listPosts } from '#tools/posts/list-posts.ts';
import type { publishPost } from '#tools/posts/publish-post.ts';
import type { retryPost } from '#tools/posts/retry-post.ts';
import type { unpublishPost } from '#tools/posts/unpublish-post.ts';
import type { updatePost } from '#tools/posts/update-post.ts';

/** The operations that pages call, by their declarations. */
type Operations = {
  delete_post: typeof deletePost;
  get_post: typeof getPost;
  get_post_metrics: typeof getPostMetrics;
  list_accounts: typeof listAccounts;
  list_post_logs: typeof listPostLogs;
  list_posts: typeof listPosts;
  publish_post: typeof publishPost;
  retry_post: typeof retryPost;
  unpublish_post: typeof unpublishPost;
  update_post: typeof updatePost;
};

export type OperationName = keyof Operations;
export type Input<N extends OperationName> = z.input<Operations[N]['input']>;
export type Answer<N extends OperationName> = z.output<Operations[N]['output']>;

/** The method and path of each; a test compares them with the declarations. */
export const ROUTES: Readonly<Record<OperationName, `${string} /${string}`>> = {
  delete_post: 'DELETE /posts/{post_id}',
  get_post: 'GET /posts/{post_id}',
  get_post_metrics: 'GET /posts/{post_id}/metrics',
  list_accounts: 'GET /accounts',
  list_post_logs: 'GET /posts/logs',
  list_posts: 'GET /posts',
  publish_post: 'POST /posts/{post_id}/publish',
  retry_post: 'POST /posts/{post_id}/retry',
  unpublish_post: 'POST /posts/{post_id}/unpublish',
  update_post: 'PATCH /posts/{post_id}',
};

export type Post = Answer<'get_post'>;
export type Target = Post['targets'][number];
export type LogEntry = Answer<'list_post_logs'>['data'][number];
export type Account = Answer<'list_accounts'>['data'][number];
export type LogEvent = z.output<typeof Event>;
