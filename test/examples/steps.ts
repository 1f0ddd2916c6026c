import { png } from '../harness/media-samples.ts';
import { OLIVIA } from '../harness/platforms/google/twin.ts';
import { put } from '../tools/media/samples.ts';
import type { Json } from '../harness/world.ts';
import type { Play } from './play.ts';

type Input = Readonly<Record<string, unknown>>;
/** A call of an operation, or what happens elsewhere before the next one. */
export type Step = Readonly<
  | { operation: string; input?: (play: Play) => Input | Promise<Input>; as?: 'person' | 'assistant' }
  | { happens: (play: Play) => Promise<unknown> }
>;

const call = (operation: string, input?: (play: Play) => Input | Promise<Input>): Step => ({
  operation,
  ...(input && { input }),
});
const person = (operation: string, input?: (play: Play) => Input | Promise<Input>): Step => ({
  ...call(operation, input),
  as: 'person',
});
const happens = (what: (play: Play) => Promise<unknown>): Step => ({ happens: what });

const BODY = { type: 'BODY', text: 'Your order {{1}} is ready.', example: { body_text: [['A-17']] } };
const TEMPLATE = { name: 'order_ready', language: 'en_US', category: 'UTILITY', components: [BODY] };
const rows = ({ said }: Play, operation: string): readonly Json[] => said(operation).data;
const first = (play: Play, operation: string): Json => rows(play, operation)[0];

/** A bakery's first week, in which every operation is called once. */
export const STEPS: readonly Step[] = [
  call('get_me'),
  person('provision_user'),
  call('patch_me', () => ({ timezone: 'Europe/Berlin' })),
  call('list_key_scopes'),
  call('create_key', () => ({ name: 'laptop', scopes: ['posts:write', 'posts:read'] })),
  call('list_keys'),
  call('update_key', ({ said }) => ({ key_id: said('create_key').id, name: 'studio' })),
  call('rotate_key', ({ said }) => ({ key_id: said('create_key').id })),
  call('create_brand', () => ({ name: 'Harbour Bakery' })),
  call('update_brand', ({ said }) => ({ brand_id: said('create_brand').id, name: 'Harbour Bakery, Bremen' })),
  call('list_brands'),
  call('create_invite', ({ said }) => ({
    brand_id: said('create_brand').id,
    platform: 'instagram',
    expires_in_days: 7,
  })),
  call('list_invites', ({ said }) => ({ brand_id: said('create_brand').id })),
  call('revoke_invite', ({ said }) => ({ invite_id: said('create_invite').id })),
  call('connect_account', () => ({ platform: 'linkedin' })),
  call('get_oauth_url', () => ({ platform: 'youtube' })),
  happens((play) => play.pending(OLIVIA)),
  call('get_pending_connection', ({ kept }) => ({ connection_id: kept('pending') })),
  call('select_pending_profile', ({ said }) => {
    const { connection_id, profiles } = said('get_pending_connection');
    return { connection_id, platform_account_id: profiles[0].platform_account_id };
  }),
  happens((play) => play.code(OLIVIA)),
  call('exchange_oauth', ({ kept }) => ({ code: kept('code'), state: kept('state') })),
  call('list_accounts'),
  call('sync_account', ({ stage }) => ({ account_id: stage.accounts.bluesky })),
  call('list_account_pages', ({ stage }) => ({ account_id: stage.accounts.facebook })),
  call('update_account_page', (play) => ({
    account_id: play.stage.accounts.facebook,
    page_id: first(play, 'list_account_pages').id,
    is_default: true,
  })),
  call('get_creator_info', ({ kept }) => ({ account_id: kept('tiktok') })),
  call('get_account_limits', ({ kept }) => ({ account_id: kept('threads') })),

  call('create_webhook', () => ({
    url: 'https://hooks.example.org/rostra',
    events: ['post.published', 'dm.received'],
  })),
  call('list_webhooks'),
  call('get_webhook', ({ said }) => ({ webhook_id: said('create_webhook').id })),
  call('update_webhook', ({ said }) => ({
    webhook_id: said('create_webhook').id,
    events: ['post.published', 'post.failed'],
  })),
  call('list_webhook_events'),
  call('test_webhook', ({ kept }) => ({
    webhook_id: kept('endpoint'),
    event_type: 'post.published',
    payload: { id: 'post_1' },
  })),

  call('get_media_upload_url', () => ({ filename: 'loaf.png', media_type: 'image/png' })),
  happens(({ said }) => put(said('get_media_upload_url').upload_url, png(4, 3))),
  call('verify_media_upload', ({ said }) => ({ media_id: said('get_media_upload_url').media_id })),
  call('upload_media', () => ({ base64: Buffer.from(png(3, 2)).toString('base64'), filename: 'shop.png' })),
  call('list_media', () => ({ limit: 1 })),
  call('get_storage_usage'),

  call('get_constraints', () => ({ platform: 'bluesky' })),
  call('validate_post', ({ stage }) => ({ text: 'Rye is back on Monday.', account_ids: [stage.accounts.bluesky] })),
  call('create_post', ({ stage, said }) => ({
    text: 'Rye is back on Monday.',
    media_ids: [said('verify_media_upload').media_id],
    account_ids: [stage.accounts.bluesky],
  })),
  call('update_post', ({ said }) => ({ post_id: said('create_post').id, scheduled_at: '2026-01-19T07:00:00Z' })),
  call('reschedule_posts', ({ said }) => ({
    posts: [{ post_id: said('create_post').id, scheduled_at: '2026-01-19T08:00:00Z' }],
  })),
  call('publish_post', ({ said }) => ({ post_id: said('create_post').id })),
  call('list_posts', () => ({ status: ['published'] })),
  call('get_post', ({ said }) => ({ post_id: said('create_post').id })),
  call('list_post_logs', ({ said }) => ({ post_id: said('create_post').id })),
  happens((play) => play.pass(3 * 3_600_000)),
  call('get_post_metrics', ({ said }) => ({ post_id: said('create_post').id })),
  call('get_analytics', () => ({ from: '2026-01-01', to: '2026-01-31', group_by: 'platform' })),
  call('set_posting_times', () => ({
    times: ['mon', 'wed', 'fri'].flatMap((day) => [
      { day, time: '09:00' },
      { day, time: '17:30' },
    ]),
  })),
  call('get_posting_times'),
  call('list_free_times', ({ stage }) => ({ account_ids: [stage.accounts.bluesky], count: 3 })),
  call('get_import_template'),
  call('import_posts', () => ({ csv: 'text\nThe first loaf is out at seven.' })),
  happens((play) => play.failedPost()),
  call('retry_post', ({ kept }) => ({ post_id: kept('failed') })),
  call('list_webhook_deliveries', ({ said }) => ({ webhook_id: said('create_webhook').id, limit: 1 })),
  call('get_webhook_delivery', (play) => ({
    webhook_id: play.said('create_webhook').id,
    delivery_id: first(play, 'list_webhook_deliveries').id,
  })),
  call('retry_webhook_delivery', ({ kept }) => ({ webhook_id: kept('endpoint'), delivery_id: kept('delivery') })),
  call('replay_webhook', ({ said }) => ({ webhook_id: said('create_webhook').id, since: '2026-01-01T00:00:00Z' })),

  happens((play) => play.people()),
  // So that an answer is later than what it answers.
  happens((play) => play.pass(60_000)),
  call('list_unanswered'),
  call('search_inbox', () => ({ q: 'open' })),
  call('list_conversations', ({ stage }) => ({ account_id: stage.accounts.facebook })),
  call('get_conversation', (play) => ({ conversation_id: first(play, 'list_conversations').id })),
  call('list_messages', (play) => ({ conversation_id: first(play, 'list_conversations').id })),
  call('send_dm', (play) => ({
    conversation_id: first(play, 'list_conversations').id,
    text: 'Yes, from eight to noon.',
  })),
  call('mark_conversation_read', (play) => ({ conversation_id: first(play, 'list_conversations').id })),
  call('update_conversation', (play) => ({
    conversation_id: first(play, 'list_conversations').id,
    status: 'archived',
  })),
  call('list_inbox_posts', ({ stage }) => ({ account_id: stage.accounts.facebook })),
  call('list_account_post_comments', ({ stage, kept }) => ({
    account_id: stage.accounts.facebook,
    post_id: kept('post'),
  })),
  call('list_post_comments', ({ stage, kept }) => ({ post_id: kept('post'), account_id: stage.accounts.facebook })),
  person('get_inbox_thread', (play) => ({
    kind: 'comment',
    thread_id: first(play, 'list_post_comments').id,
    account_id: play.stage.accounts.facebook,
  })),
  call('like_comment', (play) => comment(play)),
  call('unlike_comment', (play) => comment(play)),
  call('hide_comment', (play) => comment(play)),
  call('unhide_comment', (play) => comment(play)),
  call('private_reply_to_comment', (play) => ({
    ...comment(play),
    text: 'Thank you for asking. Shall we keep one for you?',
  })),
  call('reply_to_comment', (play) => ({ ...comment(play), text: 'Yes, from Monday on.' })),
  call('get_comment_replies', (play) => comment(play)),
  call('delete_comment', (play) => ({ ...comment(play), comment_id: play.said('reply_to_comment').comment_id })),
  call('get_reviews'),
  call('reply_to_review', (play) => ({
    review_id: first(play, 'get_reviews').id,
    text: 'We are sorry, and have mended the oven.',
  })),
  call('update_review_reply', (play) => ({
    review_id: first(play, 'get_reviews').id,
    text: 'We are sorry. The oven is mended.',
  })),
  call('delete_review_reply', (play) => ({ review_id: first(play, 'get_reviews').id })),
  call('get_mentions', ({ stage }) => ({ account_id: stage.accounts.facebook })),
  call('reply_to_mention', (play) => ({
    account_id: play.stage.accounts.facebook,
    mention_id: first(play, 'get_mentions').id,
    text: 'Thank you!',
  })),
  happens((play) => play.photo()),
  call('add_location_media', ({ stage, kept }) => ({
    account_id: stage.accounts.google.id as string,
    media: [{ type: 'image', source: kept('photo'), source_type: 'media_id' }],
  })),

  call('get_whatsapp_number_status', number),
  call('request_whatsapp_code', number),
  call('verify_whatsapp_code', async (play) => ({ ...number(play), code: await play.whatsappCode() })),
  call('register_whatsapp_number', (play) => ({ ...number(play), pin: '424242' })),
  call('get_whatsapp_business_profile', number),
  call('update_whatsapp_business_profile', (play) => ({ ...number(play), about: 'Fresh bread from seven.' })),
  call('validate_whatsapp_template', () => TEMPLATE),
  call('create_whatsapp_template', ({ stage }) => ({ account_id: stage.accounts.whatsapp, ...TEMPLATE })),
  happens((play) => play.approveTemplate()),
  call('list_whatsapp_templates', ({ stage }) => ({ account_id: stage.accounts.whatsapp })),
  call('get_whatsapp_template', ({ said }) => ({ template_id: said('create_whatsapp_template').id })),
  call('send_whatsapp_template', async ({ stage }) => ({
    account_id: stage.accounts.whatsapp,
    to: (await stage.whatsapp.customer()).digits,
    template_name: TEMPLATE.name,
    language: TEMPLATE.language,
    components: [{ type: 'body', parameters: [{ type: 'text', text: 'B-4' }] }],
  })),
  call('update_whatsapp_template', ({ said }) => ({
    template_id: said('create_whatsapp_template').id,
    components: [{ ...BODY, text: 'Your order {{1}} can be fetched.' }],
  })),
  call('delete_whatsapp_template', ({ stage }) => ({ account_id: stage.accounts.whatsapp, name: TEMPLATE.name })),
  call('deregister_whatsapp_number', number),

  call('create_export', ({ stage }) => ({ account_id: stage.accounts.bluesky })),
  happens((play) => play.pass(60_000)),
  call('list_exports'),
  call('get_export', ({ said }) => ({ export_id: said('create_export').id })),
  call('get_export_videos', ({ said }) => ({ export_id: said('create_export').id })),
  person('delete_export', ({ said }) => ({ export_id: said('create_export').id })),
  call('list_events', () => ({ limit: 1 })),
  call('events_summary'),
  call('get_usage'),
  call('list_plans'),
  call('create_checkout', () => ({ tier: 'pro' })),
  happens((play) => play.pay()),
  call('stream_events', ({ said }) => ({ after: said('list_events').events[0].id, category: ['api'] })),
  call('get_checkout_status', ({ said }) => ({ session_id: said('create_checkout').session_id })),
  call('create_portal_session'),

  happens((play) => play.leash()),
  person('list_connections'),
  person('set_leash', ({ kept }) => ({ connection_id: kept('connection'), preset: 'ask' })),
  { operation: 'get_leash', as: 'assistant' },
  happens((play) => play.hold()),
  { operation: 'list_actions', as: 'assistant' },
  { operation: 'get_action', as: 'assistant', input: (play) => ({ action_id: play.kept('action') }) },
  person('approve_action', (play) => decision(play, 'action', { note: 'Fine.' })),
  happens((play) => play.hold()),
  person('deny_action', (play) => decision(play, 'action', { note: 'Not this week.' })),
  happens((play) => play.hold()),
  { operation: 'withdraw_action', as: 'assistant', input: (play) => ({ action_id: play.kept('action') }) },
  person('list_audit', () => ({ limit: 1 })),
  person('end_connection', ({ kept }) => ({ connection_id: kept('connection') })),
  person('create_saved_reply', () => ({ name: 'Opening hours', text: 'Hello {first_name}, we are open from 8 to 6.' })),
  person('list_saved_replies'),
  person('update_saved_reply', ({ said }) => ({
    saved_reply_id: said('create_saved_reply').id,
    text: 'Hello {first_name}, we are open from 8 to 5.',
  })),
  person('delete_saved_reply', ({ said }) => ({ saved_reply_id: said('create_saved_reply').id })),
  person('invite_person', () => ({ email: 'mara@harbour.example', role: 'editor' })),
  person('list_invitations'),
  person('revoke_invitation', ({ said }) => ({ invitation_id: said('invite_person').id })),
  happens(({ joined }) => joined({ email: 'mara@harbour.example', name: 'Mara' })),
  person('list_people'),
  person('get_notifications'),
  person('set_notifications', () => ({ kinds: ['posts', 'accounts'] })),
  person('update_person', ({ kept }) => ({ user_id: kept('editor'), role: 'admin' })),
  person('remove_person', ({ kept }) => ({ user_id: kept('editor') })),
  person('create_redirect_uri', () => ({ uri: 'https://app.example.org/done' })),
  person('list_redirect_uris'),
  person('delete_redirect_uri', ({ said }) => ({ redirect_uri_id: said('create_redirect_uri').id })),
  person('get_migration', () => ({ provider: 'zernio' })),
  person('start_migration', async (play) => ({
    provider: 'zernio',
    api_key: await play.providerKey(),
    authorisation_version: play.said('get_migration').authorisation.version,
  })),
  person('stop_migration', () => ({ provider: 'zernio' })),
  call('set_twitter_credentials', () => ({ client_id: 'b2VuQ2xpZW50', client_secret: 'c2VjcmV0LW9mLXlvdXItYXBw' })),
  call('test_twitter_credentials'),
  call('list_twitter_credentials'),
  call('delete_twitter_credentials'),
  call('set_brand_twitter_credentials', ({ said }) => ({
    brand_id: said('create_brand').id,
    client_id: 'b2VuQ2xpZW50',
    client_secret: 'c2VjcmV0LW9mLXlvdXItYXBw',
  })),
  call('delete_brand_twitter_credentials', ({ said }) => ({ brand_id: said('create_brand').id })),

  call('unpublish_post', ({ said }) => ({ post_id: said('create_post').id })),
  call('delete_post', ({ kept }) => ({ post_id: kept('failed') })),
  call('delete_media', ({ said }) => ({ media_id: said('upload_media').media_id })),
  call('delete_webhook', ({ said }) => ({ webhook_id: said('create_webhook').id })),
  call('disconnect_account', ({ stage }) => ({ account_id: stage.accounts.linkedin })),
  call('delete_brand', ({ said }) => ({ brand_id: said('create_brand').id })),
  call('revoke_key', ({ said }) => ({ key_id: said('create_key').id })),
  call('delete_me'),
];

function comment(play: Play): Input {
  const { id } = first(play, 'list_post_comments');
  return { post_id: play.kept('post'), comment_id: id, account_id: play.stage.accounts.facebook };
}

function number({ stage }: Play): Input {
  return { phone_number_id: stage.accounts.whatsapp };
}

async function decision(play: Play, name: string, more: Input): Promise<Input> {
  const { id, etag } = await play.action(play.kept(name));
  return { action_id: id, etag, ...more };
}
