import type { z } from 'zod';
import type { Event } from '#tools/events/event.ts';
import type { importPosts } from '#tools/posts/import-posts.ts';
import type { Operations } from './contract/operations.ts';

export type OperationName = keyof Operations;
export type Input<N extends OperationName> = z.input<Operations[N]['input']>;
export type Answer<N extends OperationName> = z.output<Operations[N]['output']>;

/** Methods and paths. A test compares them with the declarations. */
export const ROUTES: Readonly<Record<OperationName, `${string} /${string}`>> = {
  approve_action: 'POST /actions/{action_id}/approve',
  create_brand: 'POST /brands',
  create_export: 'POST /accounts/{account_id}/export',
  create_invite: 'POST /invites',
  create_post: 'POST /posts',
  create_saved_reply: 'POST /inbox/saved-replies',
  create_webhook: 'POST /webhooks',
  delete_comment: 'DELETE /inbox/comments/{post_id}/{comment_id}',
  delete_export: 'DELETE /exports/{export_id}',
  delete_media: 'DELETE /media/{media_id}',
  delete_post: 'DELETE /posts/{post_id}',
  delete_review_reply: 'DELETE /inbox/reviews/{review_id}/reply',
  delete_saved_reply: 'DELETE /inbox/saved-replies/{saved_reply_id}',
  delete_twitter_credentials: 'DELETE /platforms/twitter/credentials',
  delete_webhook: 'DELETE /webhooks/{webhook_id}',
  deny_action: 'POST /actions/{action_id}/deny',
  disconnect_account: 'DELETE /accounts/{account_id}',
  end_connection: 'DELETE /connections/{connection_id}',
  get_action: 'GET /actions/{action_id}',
  get_analytics: 'GET /analytics',
  get_comment_replies: 'GET /inbox/comments/{post_id}/{comment_id}/replies',
  get_constraints: 'GET /posts/validate',
  get_conversation: 'GET /inbox/conversations/{conversation_id}',
  get_inbox_thread: 'GET /inbox/threads/{kind}/{thread_id}',
  get_media_upload_url: 'GET /media/upload-url',
  get_mentions: 'GET /accounts/{account_id}/mentions',
  get_migration: 'GET /migrations/{provider}',
  get_post: 'GET /posts/{post_id}',
  get_reviews: 'GET /inbox/reviews',
  get_storage_usage: 'GET /media/storage',
  get_webhook: 'GET /webhooks/{webhook_id}',
  get_webhook_delivery: 'GET /webhooks/{webhook_id}/deliveries/{delivery_id}',
  get_whatsapp_number_status: 'GET /platforms/whatsapp/phone-numbers/{phone_number_id}/status',
  hide_comment: 'POST /inbox/comments/{post_id}/{comment_id}/hide',
  like_comment: 'POST /inbox/comments/{post_id}/{comment_id}/like',
  list_account_pages: 'GET /accounts/{account_id}/pages',
  list_accounts: 'GET /accounts',
  list_actions: 'GET /actions',
  list_brands: 'GET /brands',
  list_connections: 'GET /connections',
  list_conversations: 'GET /inbox/conversations',
  list_events: 'GET /events',
  list_exports: 'GET /exports',
  list_free_times: 'GET /posting-times/free',
  list_inbox_posts: 'GET /inbox/comments',
  list_invites: 'GET /invites',
  list_media: 'GET /media',
  list_messages: 'GET /inbox/conversations/{conversation_id}/messages',
  list_post_comments: 'GET /inbox/comments/{post_id}',
  list_post_logs: 'GET /posts/logs',
  list_posts: 'GET /posts',
  list_saved_replies: 'GET /inbox/saved-replies',
  list_twitter_credentials: 'GET /platforms/twitter/credentials',
  list_unanswered: 'GET /inbox/unanswered',
  list_webhook_deliveries: 'GET /webhooks/{webhook_id}/deliveries',
  list_webhook_events: 'GET /webhooks/events',
  list_webhooks: 'GET /webhooks',
  list_whatsapp_templates: 'GET /platforms/whatsapp/accounts/{account_id}/templates',
  mark_conversation_read: 'POST /inbox/conversations/{conversation_id}/read',
  private_reply_to_comment: 'POST /inbox/comments/{post_id}/{comment_id}/private-reply',
  publish_post: 'POST /posts/{post_id}/publish',
  replay_webhook: 'POST /webhooks/{webhook_id}/replay',
  reply_to_comment: 'POST /inbox/comments/{post_id}',
  reply_to_mention: 'POST /accounts/{account_id}/mentions/reply',
  reply_to_review: 'POST /inbox/reviews/{review_id}/reply',
  reschedule_posts: 'POST /posts/reschedule',
  retry_post: 'POST /posts/{post_id}/retry',
  retry_webhook_delivery: 'POST /webhooks/{webhook_id}/deliveries/{delivery_id}/retry',
  revoke_invite: 'DELETE /invites/{invite_id}',
  search_inbox: 'GET /inbox/search',
  send_dm: 'POST /inbox/conversations/{conversation_id}/messages',
  send_whatsapp_template: 'POST /platforms/whatsapp/accounts/{account_id}/send-template',
  set_twitter_credentials: 'PUT /platforms/twitter/credentials',
  start_migration: 'POST /migrations/{provider}',
  stop_migration: 'DELETE /migrations/{provider}',
  sync_account: 'POST /accounts/{account_id}/sync',
  test_twitter_credentials: 'POST /platforms/twitter/credentials/test',
  test_webhook: 'POST /webhooks/{webhook_id}/test',
  unhide_comment: 'DELETE /inbox/comments/{post_id}/{comment_id}/hide',
  unlike_comment: 'DELETE /inbox/comments/{post_id}/{comment_id}/like',
  unpublish_post: 'POST /posts/{post_id}/unpublish',
  update_account_page: 'PATCH /accounts/{account_id}/pages/{page_id}',
  update_brand: 'PATCH /brands/{brand_id}',
  update_conversation: 'PATCH /inbox/conversations/{conversation_id}',
  update_post: 'PATCH /posts/{post_id}',
  update_review_reply: 'PUT /inbox/reviews/{review_id}/reply',
  update_saved_reply: 'PATCH /inbox/saved-replies/{saved_reply_id}',
  update_webhook: 'PATCH /webhooks/{webhook_id}',
  validate_post: 'POST /posts/validate',
  verify_media_upload: 'POST /media/{media_id}/verify',
};

export type Post = Answer<'get_post'>;
export type Target = Post['targets'][number];
export type LogEntry = Answer<'list_post_logs'>['data'][number];
export type Account = Answer<'list_accounts'>['data'][number];
/** What pages get of an account to name it and to filter by it. */
export type NamedAccount = Pick<Account, 'id' | 'name' | 'platform' | 'brand_id'>;
/** With those of its capabilities that the page asks about. */
export type AbleAccount = NamedAccount & Pick<Account, 'capabilities'>;
/** What names a brand. */
export type NamedBrand = Pick<Brand, 'id' | 'name'>;
export type Brand = Answer<'list_brands'>['data'][number];
export type ImportReport = z.output<typeof importPosts.output>;
export type LogEvent = z.output<typeof Event>;
export type Invite = Answer<'list_invites'>['data'][number];
export type AccountPage = Answer<'list_account_pages'>['data'][number];
export type Unanswered = Answer<'list_unanswered'>['data'][number];
export type Action = Answer<'get_action'>;
export type Connection = Answer<'list_connections'>['data'][number];
export type MediaItem = Answer<'list_media'>['data'][number];
export type Conversation = Answer<'list_conversations'>['data'][number];
export type Message = Answer<'list_messages'>['data'][number];
export type InboxPost = Answer<'list_inbox_posts'>['data'][number];
export type Comment = Answer<'list_post_comments'>['data'][number];
export type Mention = Answer<'get_mentions'>['data'][number];
export type Review = Answer<'get_reviews'>['data'][number];
export type InboxThread = Answer<'get_inbox_thread'>;
export type Webhook = Answer<'list_webhooks'>['data'][number];
export type WebhookHealth = Answer<'get_webhook'>['stats'];
export type WebhookEvent = Answer<'list_webhook_events'>['data'][number];
export type Delivery = Answer<'list_webhook_deliveries'>['data'][number];
export type DeliveryDetail = Answer<'get_webhook_delivery'>;
export type Analytics = Answer<'get_analytics'>;
export type Export = Answer<'list_exports'>['data'][number];
export type SavedReply = Answer<'list_saved_replies'>['data'][number];
export type Found = Answer<'search_inbox'>['data'][number];
export type Migration = Answer<'get_migration'>;
