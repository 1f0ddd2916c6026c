import type { z } from 'zod';
import type { disconnectAccount } from '#tools/accounts/disconnect-account.ts';
import type { listAccountPages } from '#tools/accounts/list-account-pages.ts';
import type { listAccounts } from '#tools/accounts/list-accounts.ts';
import type { syncAccount } from '#tools/accounts/sync-account.ts';
import type { updateAccountPage } from '#tools/accounts/update-account-page.ts';
import type { createBrand } from '#tools/brands/create-brand.ts';
import type { listBrands } from '#tools/brands/list-brands.ts';
import type { updateBrand } from '#tools/brands/update-brand.ts';
import type { deleteComment } from '#tools/comments/delete-comment.ts';
import type { getCommentReplies } from '#tools/comments/get-comment-replies.ts';
import type { hideComment } from '#tools/comments/hide-comment.ts';
import type { likeComment } from '#tools/comments/like-comment.ts';
import type { listInboxPosts } from '#tools/comments/list-inbox-posts.ts';
import type { listPostComments } from '#tools/comments/list-post-comments.ts';
import type { privateReplyToComment } from '#tools/comments/private-reply-to-comment.ts';
import type { replyToComment } from '#tools/comments/reply-to-comment.ts';
import type { unhideComment } from '#tools/comments/unhide-comment.ts';
import type { unlikeComment } from '#tools/comments/unlike-comment.ts';
import type { approveAction } from '#tools/connections/approve-action.ts';
import type { denyAction } from '#tools/connections/deny-action.ts';
import type { endConnection } from '#tools/connections/end-connection.ts';
import type { getAction } from '#tools/connections/get-action.ts';
import type { listActions } from '#tools/connections/list-actions.ts';
import type { listConnections } from '#tools/connections/list-connections.ts';
import type { getConversation } from '#tools/conversations/get-conversation.ts';
import type { listConversations } from '#tools/conversations/list-conversations.ts';
import type { listMessages } from '#tools/conversations/list-messages.ts';
import type { markConversationRead } from '#tools/conversations/mark-conversation-read.ts';
import type { sendDm } from '#tools/conversations/send-dm.ts';
import type { updateConversation } from '#tools/conversations/update-conversation.ts';
import type { Event } from '#tools/events/event.ts';
import type { listEvents } from '#tools/events/list-events.ts';
import type { getInboxThread } from '#tools/inbox/get-inbox-thread.ts';
import type { listUnanswered } from '#tools/inbox/list-unanswered.ts';
import type { searchInbox } from '#tools/inbox/search-inbox.ts';
import type { createInvite } from '#tools/invites/create-invite.ts';
import type { listInvites } from '#tools/invites/list-invites.ts';
import type { revokeInvite } from '#tools/invites/revoke-invite.ts';
import type { deleteMedia } from '#tools/media/delete-media.ts';
import type { getMediaUploadUrl } from '#tools/media/get-media-upload-url.ts';
import type { getStorageUsage } from '#tools/media/get-storage-usage.ts';
import type { listMedia } from '#tools/media/list-media.ts';
import type { uploadMedia } from '#tools/media/upload-media.ts';
import type { verifyMediaUpload } from '#tools/media/verify-media-upload.ts';
import type { getMentions } from '#tools/mentions/get-mentions.ts';
import type { replyToMention } from '#tools/mentions/reply-to-mention.ts';
import type { createPost } from '#tools/posts/create-post.ts';
import type { deletePost } from '#tools/posts/delete-post.ts';
import type { getAnalytics } from '#tools/posts/get-analytics.ts';
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
import type { deleteReviewReply } from '#tools/reviews/delete-review-reply.ts';
import type { getReviews } from '#tools/reviews/get-reviews.ts';
import type { replyToReview } from '#tools/reviews/reply-to-review.ts';
import type { updateReviewReply } from '#tools/reviews/update-review-reply.ts';
import type { deleteTwitterCredentials } from '#tools/twitter/delete-twitter-credentials.ts';
import type { listTwitterCredentials } from '#tools/twitter/list-twitter-credentials.ts';
import type { setTwitterCredentials } from '#tools/twitter/set-twitter-credentials.ts';
import type { testTwitterCredentials } from '#tools/twitter/test-twitter-credentials.ts';
import type { createWebhook } from '#tools/webhooks/create-webhook.ts';
import type { deleteWebhook } from '#tools/webhooks/delete-webhook.ts';
import type { getWebhook } from '#tools/webhooks/get-webhook.ts';
import type { getWebhookDelivery } from '#tools/webhooks/get-webhook-delivery.ts';
import type { listWebhookDeliveries } from '#tools/webhooks/list-webhook-deliveries.ts';
import type { listWebhookEvents } from '#tools/webhooks/list-webhook-events.ts';
import type { listWebhooks } from '#tools/webhooks/list-webhooks.ts';
import type { replayWebhook } from '#tools/webhooks/replay-webhook.ts';
import type { retryWebhookDelivery } from '#tools/webhooks/retry-webhook-delivery.ts';
import type { testWebhook } from '#tools/webhooks/test-webhook.ts';
import type { updateWebhook } from '#tools/webhooks/update-webhook.ts';
import type { getWhatsappNumberStatus } from '#tools/whatsapp/get-whatsapp-number-status.ts';
import type { listWhatsappTemplates } from '#tools/whatsapp/list-whatsapp-templates.ts';
import type { sendWhatsappTemplate } from '#tools/whatsapp/send-whatsapp-template.ts';

/** The operations that pages call, by their declarations. */
type Operations = {
  approve_action: typeof approveAction;
  create_brand: typeof createBrand;
  create_invite: typeof createInvite;
  create_post: typeof createPost;
  create_webhook: typeof createWebhook;
  delete_comment: typeof deleteComment;
  delete_media: typeof deleteMedia;
  delete_post: typeof deletePost;
  delete_review_reply: typeof deleteReviewReply;
  delete_twitter_credentials: typeof deleteTwitterCredentials;
  delete_webhook: typeof deleteWebhook;
  deny_action: typeof denyAction;
  disconnect_account: typeof disconnectAccount;
  end_connection: typeof endConnection;
  get_action: typeof getAction;
  get_analytics: typeof getAnalytics;
  get_comment_replies: typeof getCommentReplies;
  get_constraints: typeof getConstraints;
  get_conversation: typeof getConversation;
  get_inbox_thread: typeof getInboxThread;
  get_media_upload_url: typeof getMediaUploadUrl;
  get_mentions: typeof getMentions;
  get_post: typeof getPost;
  get_post_metrics: typeof getPostMetrics;
  get_reviews: typeof getReviews;
  get_storage_usage: typeof getStorageUsage;
  get_webhook: typeof getWebhook;
  get_webhook_delivery: typeof getWebhookDelivery;
  get_whatsapp_number_status: typeof getWhatsappNumberStatus;
  hide_comment: typeof hideComment;
  like_comment: typeof likeComment;
  list_account_pages: typeof listAccountPages;
  list_accounts: typeof listAccounts;
  list_actions: typeof listActions;
  list_brands: typeof listBrands;
  list_connections: typeof listConnections;
  list_conversations: typeof listConversations;
  list_events: typeof listEvents;
  list_inbox_posts: typeof listInboxPosts;
  list_invites: typeof listInvites;
  list_media: typeof listMedia;
  list_messages: typeof listMessages;
  list_post_comments: typeof listPostComments;
  list_post_logs: typeof listPostLogs;
  list_posts: typeof listPosts;
  list_twitter_credentials: typeof listTwitterCredentials;
  list_unanswered: typeof listUnanswered;
  list_webhook_deliveries: typeof listWebhookDeliveries;
  list_webhook_events: typeof listWebhookEvents;
  list_webhooks: typeof listWebhooks;
  list_whatsapp_templates: typeof listWhatsappTemplates;
  mark_conversation_read: typeof markConversationRead;
  private_reply_to_comment: typeof privateReplyToComment;
  publish_post: typeof publishPost;
  replay_webhook: typeof replayWebhook;
  reply_to_comment: typeof replyToComment;
  reply_to_mention: typeof replyToMention;
  reply_to_review: typeof replyToReview;
  retry_post: typeof retryPost;
  retry_webhook_delivery: typeof retryWebhookDelivery;
  revoke_invite: typeof revokeInvite;
  search_inbox: typeof searchInbox;
  send_dm: typeof sendDm;
  send_whatsapp_template: typeof sendWhatsappTemplate;
  set_twitter_credentials: typeof setTwitterCredentials;
  sync_account: typeof syncAccount;
  test_twitter_credentials: typeof testTwitterCredentials;
  test_webhook: typeof testWebhook;
  unhide_comment: typeof unhideComment;
  unlike_comment: typeof unlikeComment;
  unpublish_post: typeof unpublishPost;
  update_account_page: typeof updateAccountPage;
  update_brand: typeof updateBrand;
  update_conversation: typeof updateConversation;
  update_post: typeof updatePost;
  update_review_reply: typeof updateReviewReply;
  update_webhook: typeof updateWebhook;
  upload_media: typeof uploadMedia;
  validate_post: typeof validatePost;
  verify_media_upload: typeof verifyMediaUpload;
};

export type OperationName = keyof Operations;
export type Input<N extends OperationName> = z.input<Operations[N]['input']>;
export type Answer<N extends OperationName> = z.output<Operations[N]['output']>;

/** Methods and paths, which a test compares with the declarations. */
export const ROUTES: Readonly<Record<OperationName, `${string} /${string}`>> = {
  approve_action: 'POST /actions/{action_id}/approve',
  create_brand: 'POST /brands',
  create_invite: 'POST /invites',
  create_post: 'POST /posts',
  create_webhook: 'POST /webhooks',
  delete_comment: 'DELETE /inbox/comments/{post_id}/{comment_id}',
  delete_media: 'DELETE /media/{media_id}',
  delete_post: 'DELETE /posts/{post_id}',
  delete_review_reply: 'DELETE /inbox/reviews/{review_id}/reply',
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
  get_post: 'GET /posts/{post_id}',
  get_post_metrics: 'GET /posts/{post_id}/metrics',
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
  list_inbox_posts: 'GET /inbox/comments',
  list_invites: 'GET /invites',
  list_media: 'GET /media',
  list_messages: 'GET /inbox/conversations/{conversation_id}/messages',
  list_post_comments: 'GET /inbox/comments/{post_id}',
  list_post_logs: 'GET /posts/logs',
  list_posts: 'GET /posts',
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
  retry_post: 'POST /posts/{post_id}/retry',
  retry_webhook_delivery: 'POST /webhooks/{webhook_id}/deliveries/{delivery_id}/retry',
  revoke_invite: 'DELETE /invites/{invite_id}',
  search_inbox: 'GET /inbox/search',
  send_dm: 'POST /inbox/conversations/{conversation_id}/messages',
  send_whatsapp_template: 'POST /platforms/whatsapp/accounts/{account_id}/send-template',
  set_twitter_credentials: 'PUT /platforms/twitter/credentials',
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
  update_webhook: 'PATCH /webhooks/{webhook_id}',
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
export type Found = Answer<'search_inbox'>['data'][number];
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
