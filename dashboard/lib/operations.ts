import type { z } from 'zod';
import type { disconnectAccount } from '#tools/accounts/disconnect-account.ts';
import type { listAccountPages } from '#tools/accounts/list-account-pages.ts';
import type { listAccounts } from '#tools/accounts/list-accounts.ts';
import type { syncAccount } from '#tools/accounts/sync-account.ts';
import type { updateAccountPage } from '#tools/accounts/update-account-page.ts';
import type { createBrand } from '#tools/brands/create-brand.ts';
import type { listBrands } from '#tools/brands/list-brands.ts';
import type { updateBrand } from '#tools/brands/update-brand.ts';
import type { Event } from '#tools/events/event.ts';
import type { listUnanswered } from '#tools/inbox/list-unanswered.ts';
import type { createInvite } from '#tools/invites/create-invite.ts';
import type { listInvites } from '#tools/invites/list-invites.ts';
import type { revokeInvite } from '#tools/invites/revoke-invite.ts';
import type { deleteMedia } from '#tools/media/delete-media.ts';
import type { getMediaUploadUrl } from '#tools/media/get-media-upload-url.ts';
import type { getStorageUsage } from '#tools/media/get-storage-usage.ts';
import type { listMedia } from '#tools/media/list-media.ts';
import type { uploadMedia } from '#tools/media/upload-media.ts';
import type { verifyMediaUpload } from '#tools/media/verify-media-upload.ts';
import type { createPost } from '#tools/posts/create-post.ts';
import type { deletePost } from '#tools/posts/delete-post.ts';
import type { getConstraints } from '#tools/posts/get-constraints.ts';
import type { getPostMetrics } from '#tools/posts/get-post-metrics.ts';
import type { getPost } from '#tools/posts/get-post.ts';
import type { listPostLogs } from '#tools/posts/list-post-logs.ts';
import type { listPosts } from '#tools/posts/list-posts.ts';
import type { publishPost } from '#tools/posts/publish-post.ts';
import type { retryPost } from '#tools/posts/retry-post.ts';
import type { unpublishPost } from '#tools/posts/unpublish-post.ts';
import type { updatePost } from '#tools/posts/update-post.ts';
import type { validatePost } from '#tools/posts/validate-post.ts';
import type { deleteTwitterCredentials } from '#tools/twitter/delete-twitter-credentials.ts';
import type { listTwitterCredentials } from '#tools/twitter/list-twitter-credentials.ts';
import type { setTwitterCredentials } from '#tools/twitter/set-twitter-credentials.ts';
import type { testTwitterCredentials } from '#tools/twitter/test-twitter-credentials.ts';
import type { getWhatsappNumberStatus } from '#tools/whatsapp/get-whatsapp-number-status.ts';
import type { listWhatsappTemplates } from '#tools/whatsapp/list-whatsapp-templates.ts';

/** The operations that pages call, by their declarations. */
type Operations = {
  create_brand: typeof createBrand;
  create_invite: typeof createInvite;
  create_post: typeof createPost;
  delete_media: typeof deleteMedia;
  delete_post: typeof deletePost;
  delete_twitter_credentials: typeof deleteTwitterCredentials;
  disconnect_account: typeof disconnectAccount;
  get_constraints: typeof getConstraints;
  get_media_upload_url: typeof getMediaUploadUrl;
  get_post: typeof getPost;
  get_post_metrics: typeof getPostMetrics;
  get_storage_usage: typeof getStorageUsage;
  get_whatsapp_number_status: typeof getWhatsappNumberStatus;
  list_account_pages: typeof listAccountPages;
  list_accounts: typeof listAccounts;
  list_brands: typeof listBrands;
  list_invites: typeof listInvites;
  list_media: typeof listMedia;
  list_post_logs: typeof listPostLogs;
  list_posts: typeof listPosts;
  list_twitter_credentials: typeof listTwitterCredentials;
  list_unanswered: typeof listUnanswered;
  list_whatsapp_templates: typeof listWhatsappTemplates;
  publish_post: typeof publishPost;
  retry_post: typeof retryPost;
  revoke_invite: typeof revokeInvite;
  set_twitter_credentials: typeof setTwitterCredentials;
  sync_account: typeof syncAccount;
  test_twitter_credentials: typeof testTwitterCredentials;
  unpublish_post: typeof unpublishPost;
  update_account_page: typeof updateAccountPage;
  update_brand: typeof updateBrand;
  update_post: typeof updatePost;
  upload_media: typeof uploadMedia;
  validate_post: typeof validatePost;
  verify_media_upload: typeof verifyMediaUpload;
};

export type OperationName = keyof Operations;
export type Input<N extends OperationName> = z.input<Operations[N]['input']>;
export type Answer<N extends OperationName> = z.output<Operations[N]['output']>;

/** Methods and paths, which a test compares with the declarations. */
export const ROUTES: Readonly<Record<OperationName, `${string} /${string}`>> = {
  create_brand: 'POST /brands',
  create_invite: 'POST /invites',
  create_post: 'POST /posts',
  delete_media: 'DELETE /media/{media_id}',
  delete_post: 'DELETE /posts/{post_id}',
  delete_twitter_credentials: 'DELETE /platforms/twitter/credentials',
  disconnect_account: 'DELETE /accounts/{account_id}',
  get_constraints: 'GET /posts/validate',
  get_media_upload_url: 'GET /media/upload-url',
  get_post: 'GET /posts/{post_id}',
  get_post_metrics: 'GET /posts/{post_id}/metrics',
  get_storage_usage: 'GET /media/storage',
  get_whatsapp_number_status: 'GET /platforms/whatsapp/phone-numbers/{phone_number_id}/status',
  list_account_pages: 'GET /accounts/{account_id}/pages',
  list_accounts: 'GET /accounts',
  list_brands: 'GET /brands',
  list_invites: 'GET /invites',
  list_media: 'GET /media',
  list_post_logs: 'GET /posts/logs',
  list_posts: 'GET /posts',
  list_twitter_credentials: 'GET /platforms/twitter/credentials',
  list_unanswered: 'GET /inbox/unanswered',
  list_whatsapp_templates: 'GET /platforms/whatsapp/accounts/{account_id}/templates',
  publish_post: 'POST /posts/{post_id}/publish',
  retry_post: 'POST /posts/{post_id}/retry',
  revoke_invite: 'DELETE /invites/{invite_id}',
  set_twitter_credentials: 'PUT /platforms/twitter/credentials',
  sync_account: 'POST /accounts/{account_id}/sync',
  test_twitter_credentials: 'POST /platforms/twitter/credentials/test',
  unpublish_post: 'POST /posts/{post_id}/unpublish',
  update_account_page: 'PATCH /accounts/{account_id}/pages/{page_id}',
  update_brand: 'PATCH /brands/{brand_id}',
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
export type Invite = Answer<'list_invites'>['data'][number];
export type AccountPage = Answer<'list_account_pages'>['data'][number];
export type Unanswered = Answer<'list_unanswered'>['data'][number];
export type MediaItem = Answer<'list_media'>['data'][number];
