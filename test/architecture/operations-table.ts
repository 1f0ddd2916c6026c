import type { Access, Effect, Method } from '#call/tool.ts';

/** An operation as it was agreed before it was built; the declarations are held to this. */
export type Agreed = Readonly<{
  toolset: string;
  name: string;
  method: Method;
  path: string;
  status: number;
  access: Access;
  effect: Effect;
  idempotent: boolean;
  destructive: boolean;
  openWorld: boolean;
  meter: string | undefined;
}>;

// toolset, name, method, path, status, access (`dashboard/<scope>` for people whose role has it), effect, flags (i idempotent, D destructive beside deletes and sends, W reaches outside), meter
const TABLE = `
accounts list_accounts GET /accounts 200 accounts:read read i -
accounts connect_account POST /accounts/connect 202 accounts:manage create W -
accounts exchange_oauth POST /oauth/exchange 201 accounts:manage create W -
accounts get_oauth_url GET /oauth/url 200 accounts:manage create - -
accounts get_pending_connection GET /accounts/pending/{connection_id} 200 accounts:manage read i -
accounts select_pending_profile POST /accounts/pending/{connection_id}/select 201 accounts:manage create - -
accounts disconnect_account DELETE /accounts/{account_id} 200 accounts:manage delete W -
accounts sync_account POST /accounts/{account_id}/sync 200 accounts:manage update iW -
accounts list_account_pages GET /accounts/{account_id}/pages 200 accounts:read read i -
accounts update_account_page PATCH /accounts/{account_id}/pages/{page_id} 200 accounts:manage update i -
accounts get_creator_info GET /accounts/{account_id}/creator-info 200 accounts:read read iW -
accounts get_account_limits GET /accounts/{account_id}/limits 200 accounts:read read iW -
brands list_brands GET /brands 200 accounts:read read i -
brands create_brand POST /brands 201 admin create - -
brands update_brand PATCH /brands/{brand_id} 200 admin update i -
brands delete_brand DELETE /brands/{brand_id} 200 admin delete W -
invites create_invite POST /invites 201 admin create - -
invites list_invites GET /invites 200 admin read i -
invites revoke_invite DELETE /invites/{invite_id} 200 admin delete - -
conversations list_conversations GET /inbox/conversations 200 dms:read read i -
conversations get_conversation GET /inbox/conversations/{conversation_id} 200 dms:read read i -
conversations update_conversation PATCH /inbox/conversations/{conversation_id} 200 dms:send update i -
conversations mark_conversation_read POST /inbox/conversations/{conversation_id}/read 200 dms:send update iW -
conversations list_messages GET /inbox/conversations/{conversation_id}/messages 200 dms:read read i -
conversations send_dm POST /inbox/conversations/{conversation_id}/messages 200 dms:send send W interaction
comments list_inbox_posts GET /inbox/comments 200 inbox:read read i -
comments list_post_comments GET /inbox/comments/{post_id} 200 inbox:read read iW -
comments get_comment_replies GET /inbox/comments/{post_id}/{comment_id}/replies 200 inbox:read read iW -
comments list_account_post_comments GET /accounts/{account_id}/posts/{post_id}/comments 200 inbox:read read iW -
comments reply_to_comment POST /inbox/comments/{post_id} 200 inbox:write send W interaction
comments delete_comment DELETE /inbox/comments/{post_id}/{comment_id} 200 inbox:write delete W -
comments hide_comment POST /inbox/comments/{post_id}/{comment_id}/hide 200 inbox:write update iDW -
comments unhide_comment DELETE /inbox/comments/{post_id}/{comment_id}/hide 200 inbox:write update iW -
comments like_comment POST /inbox/comments/{post_id}/{comment_id}/like 200 inbox:write update iW -
comments unlike_comment DELETE /inbox/comments/{post_id}/{comment_id}/like 200 inbox:write update iW -
comments private_reply_to_comment POST /inbox/comments/{post_id}/{comment_id}/private-reply 200 dms:send send W interaction
reviews get_reviews GET /inbox/reviews 200 inbox:read read iW -
reviews reply_to_review POST /inbox/reviews/{review_id}/reply 200 inbox:write send W interaction
reviews update_review_reply PUT /inbox/reviews/{review_id}/reply 200 inbox:write update iW -
reviews delete_review_reply DELETE /inbox/reviews/{review_id}/reply 200 inbox:write delete W -
mentions get_mentions GET /accounts/{account_id}/mentions 200 inbox:read read iW -
mentions reply_to_mention POST /accounts/{account_id}/mentions/reply 200 inbox:write send W interaction
posts create_post POST /posts 201 posts:write create W post
posts list_posts GET /posts 200 posts:read read i -
posts get_post GET /posts/{post_id} 200 posts:read read i -
posts update_post PATCH /posts/{post_id} 200 posts:write update iW post
posts delete_post DELETE /posts/{post_id} 200 posts:write delete W -
posts publish_post POST /posts/{post_id}/publish 201 posts:write send W post
posts retry_post POST /posts/{post_id}/retry 200 posts:write send W post
posts unpublish_post POST /posts/{post_id}/unpublish 200 posts:write delete DW -
posts get_post_metrics GET /posts/{post_id}/metrics 200 posts:read read iW -
posts list_post_logs GET /posts/logs 200 posts:read read i -
posts import_posts POST /posts/import 200 posts:write create W post
posts get_constraints GET /posts/validate 200 open read iW -
posts validate_post POST /posts/validate 200 posts:read read i -
media list_media GET /media 200 media:read read i -
media get_storage_usage GET /media/storage 200 media:read read i storage
media get_media_upload_url GET /media/upload-url 200 media:write create - storage
media upload_media POST /media/upload 201 media:write create - storage
media verify_media_upload POST /media/{media_id}/verify 200 media:write update i storage
media delete_media DELETE /media/{media_id} 200 media:write delete - -
webhooks list_webhooks GET /webhooks 200 webhooks:manage read i -
webhooks create_webhook POST /webhooks 201 webhooks:manage create - -
webhooks get_webhook GET /webhooks/{webhook_id} 200 webhooks:manage read i -
webhooks update_webhook PATCH /webhooks/{webhook_id} 200 webhooks:manage update i -
webhooks delete_webhook DELETE /webhooks/{webhook_id} 200 webhooks:manage delete - -
webhooks test_webhook POST /webhooks/{webhook_id}/test 200 webhooks:manage send W -
webhooks list_webhook_deliveries GET /webhooks/{webhook_id}/deliveries 200 webhooks:manage read i -
webhooks get_webhook_delivery GET /webhooks/{webhook_id}/deliveries/{delivery_id} 200 webhooks:manage read i -
webhooks retry_webhook_delivery POST /webhooks/{webhook_id}/deliveries/{delivery_id}/retry 200 webhooks:manage send W -
webhooks list_webhook_events GET /webhooks/events 200 open read i -
webhooks replay_webhook POST /webhooks/{webhook_id}/replay 202 webhooks:manage send W -
events list_events GET /events 200 analytics:read read i -
events events_summary GET /events/summary 200 analytics:read read i -
events stream_events GET /events/stream 200 analytics:read read - -
exports create_export POST /accounts/{account_id}/export 202 analytics:read create W -
exports list_exports GET /exports 200 analytics:read read i -
exports get_export GET /exports/{export_id} 200 analytics:read read i -
exports get_export_videos GET /exports/{export_id}/videos 200 analytics:read read i -
usage get_usage GET /usage 200 open read i -
usage list_plans GET /billing/plans 200 open read i -
usage create_checkout POST /billing/checkout 200 admin create W -
usage create_portal_session POST /billing/portal 200 admin create W -
usage get_checkout_status GET /billing/checkout/status 200 admin read iW -
users get_me GET /users/me 200 open read i -
users patch_me PATCH /users/me 200 admin update i -
users delete_me DELETE /users/me 200 admin delete W -
users provision_user POST /users/provision 201 dashboard/accounts:read create i -
keys list_keys GET /keys 200 admin read i -
keys create_key POST /keys 201 admin create - -
keys revoke_key DELETE /keys/{key_id} 200 admin delete i -
keys update_key PATCH /keys/{key_id} 200 admin update i -
keys rotate_key POST /keys/{key_id}/rotate 200 admin update D -
keys list_key_scopes GET /keys/scopes 200 open read i -
redirects list_redirect_uris GET /oauth/redirect-uris 200 dashboard read i -
redirects create_redirect_uri POST /oauth/redirect-uris 201 dashboard create - -
redirects delete_redirect_uri DELETE /oauth/redirect-uris/{redirect_uri_id} 200 dashboard delete - -
migrations get_migration GET /migrations/{provider} 200 dashboard read iW -
migrations start_migration POST /migrations/{provider} 201 dashboard create W -
migrations stop_migration DELETE /migrations/{provider} 200 dashboard delete - -
google add_location_media POST /platforms/google/accounts/{account_id}/media 201 posts:write create W -
twitter list_twitter_credentials GET /platforms/twitter/credentials 200 admin read i -
twitter set_twitter_credentials PUT /platforms/twitter/credentials 200 admin update i -
twitter delete_twitter_credentials DELETE /platforms/twitter/credentials 200 admin delete - -
twitter set_brand_twitter_credentials PUT /platforms/twitter/credentials/brand/{brand_id} 200 admin update i -
twitter delete_brand_twitter_credentials DELETE /platforms/twitter/credentials/brand/{brand_id} 200 admin delete - -
twitter test_twitter_credentials POST /platforms/twitter/credentials/test 200 admin read W -
whatsapp request_whatsapp_code POST /platforms/whatsapp/phone-numbers/{phone_number_id}/request-code 200 accounts:manage send W -
whatsapp verify_whatsapp_code POST /platforms/whatsapp/phone-numbers/{phone_number_id}/verify-code 200 accounts:manage update W -
whatsapp register_whatsapp_number POST /platforms/whatsapp/phone-numbers/{phone_number_id}/register 200 accounts:manage update W -
whatsapp deregister_whatsapp_number POST /platforms/whatsapp/phone-numbers/{phone_number_id}/deregister 200 accounts:manage update DW -
whatsapp get_whatsapp_number_status GET /platforms/whatsapp/phone-numbers/{phone_number_id}/status 200 accounts:read read iW -
whatsapp get_whatsapp_business_profile GET /platforms/whatsapp/phone-numbers/{phone_number_id}/business-profile 200 accounts:read read iW -
whatsapp update_whatsapp_business_profile PUT /platforms/whatsapp/phone-numbers/{phone_number_id}/business-profile 200 accounts:manage update iW -
whatsapp list_whatsapp_templates GET /platforms/whatsapp/accounts/{account_id}/templates 200 accounts:read read iW -
whatsapp create_whatsapp_template POST /platforms/whatsapp/accounts/{account_id}/templates 201 accounts:manage create W -
whatsapp delete_whatsapp_template DELETE /platforms/whatsapp/accounts/{account_id}/templates 200 accounts:manage delete W -
whatsapp get_whatsapp_template GET /platforms/whatsapp/templates/{template_id} 200 accounts:read read iW -
whatsapp update_whatsapp_template PUT /platforms/whatsapp/templates/{template_id} 200 accounts:manage update iW -
whatsapp send_whatsapp_template POST /platforms/whatsapp/accounts/{account_id}/send-template 200 dms:send send W -
whatsapp validate_whatsapp_template POST /platforms/whatsapp/templates/validate 200 accounts:read read i -
`;

/** Operations of our own, beside those of the contract. */
const OWN_TABLE = `
inbox list_unanswered GET /inbox/unanswered 200 inbox:read read i -
inbox search_inbox GET /inbox/search 200 inbox:read read i -
replies list_saved_replies GET /inbox/saved-replies 200 dashboard/inbox:read read i -
replies create_saved_reply POST /inbox/saved-replies 201 dashboard/inbox:write create - -
replies update_saved_reply PATCH /inbox/saved-replies/{saved_reply_id} 200 dashboard/inbox:write update i -
replies delete_saved_reply DELETE /inbox/saved-replies/{saved_reply_id} 200 dashboard/inbox:write delete - -
inbox get_inbox_thread GET /inbox/threads/{kind}/{thread_id} 200 dashboard/inbox:read read i -
exports delete_export DELETE /exports/{export_id} 200 dashboard/posts:write delete - -
posts get_import_template GET /posts/import/template 200 posts:write read i -
posts get_analytics GET /analytics 200 posts:read read i -
posts reschedule_posts POST /posts/reschedule 200 posts:write update iW post
times list_free_times GET /posting-times/free 200 posts:read read i -
times get_posting_times GET /posting-times 200 posts:read read i -
times set_posting_times PUT /posting-times 200 admin update i -
people list_people GET /people 200 dashboard read i -
people invite_person POST /people/invitations 201 dashboard create - -
people list_invitations GET /people/invitations 200 dashboard read i -
people revoke_invitation DELETE /people/invitations/{invitation_id} 200 dashboard delete - -
people update_person PATCH /people/{user_id} 200 dashboard update i -
people remove_person DELETE /people/{user_id} 200 dashboard/accounts:read delete - -
people get_notifications GET /notifications 200 dashboard/posts:write read i -
people set_notifications PUT /notifications 200 dashboard/posts:write update i -
connections get_leash GET /leash 200 open read i -
connections list_connections GET /connections 200 dashboard/accounts:read read i -
connections set_leash PUT /connections/{connection_id}/leash 200 dashboard/accounts:read update i -
connections end_connection DELETE /connections/{connection_id} 200 dashboard/accounts:read delete - -
connections list_actions GET /actions 200 open read i -
connections get_action GET /actions/{action_id} 200 open read i -
connections withdraw_action DELETE /actions/{action_id} 200 open update i -
connections approve_action POST /actions/{action_id}/approve 200 decide update i -
connections deny_action POST /actions/{action_id}/deny 200 decide update i -
connections list_audit GET /audit 200 dashboard read i -
`;

/** Every operation of the contract. */
export const AGREED: readonly Agreed[] = rowsIn(TABLE);

/** The operations that the product has beside them. */
export const OWN: readonly Agreed[] = rowsIn(OWN_TABLE);

function rowsIn(table: string): readonly Agreed[] {
  const lines = table.trim().split('\n');
  return lines.map((line) => {
    const [toolset, name, method, path, status, access, effect, flags, meter] = line.split(' ');
    return {
      toolset: toolset!,
      name: name!,
      method: method as Method,
      path: path!,
      status: Number(status),
      access: accessOf(access!),
      effect: effect as Effect,
      idempotent: flags!.includes('i'),
      destructive: flags!.includes('D'),
      openWorld: flags!.includes('W'),
      meter: meter === '-' ? undefined : meter,
    };
  });
}

function accessOf(word: string): Access {
  const [kind, role] = word.split('/');
  if (role !== undefined) return { [kind!]: role } as Access;
  if (word.includes(':')) return { scope: word } as Access;
  return { [word]: true } as Access;
}
