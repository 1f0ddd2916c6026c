import {
  platformReason,
  type ApiError,
  type ERRORS,
  type ErrorCode,
  type ErrorMeta,
  type PlatformReason,
} from './errors.ts';
import { peopleStepOf } from './people/steps.ts';
import { forPeople, stepForPeople } from './people/sentences.ts';
import { tableOf } from './text/table.ts';

/** Who reads a message: programs call operations, people do not. */
export type Reader = 'program' | 'person';

/** The next step for each error; it is the last sentence of every message. */
const STEPS: Readonly<Record<keyof typeof ERRORS, string>> = Object.freeze({
  'auth.missing_header': 'Send Authorization: Bearer <API key or access token>.',
  'auth.empty_token': 'Write Bearer, a space and the token.',
  'auth.invalid_key': 'Create another one in the dashboard, or with rostra key create.',
  'auth.invalid_token': 'Refresh it at /oauth/token, or sign in again.',
  'auth.invalid_secret': 'Compare it with the setting of this server.',
  'auth.not_authenticated': 'Sign in first.',
  'auth.not_provisioned': 'Call provision_user (POST /v1/users/provision) first.',
  'auth.user_not_found': 'Sign in as another user, or use a key of theirs.',
  'auth.dashboard_only': 'Ask a person to do it in the dashboard, or use a dashboard token.',
  'auth.requires_dashboard_auth': 'Ask a person to do it in the dashboard, or use a dashboard token.',
  'auth.insufficient_scope': 'Use another key, or ask a person to widen this one in the dashboard or with update_key.',
  'auth.leash_denied': 'Ask a person to do it, or to allow more under Assistants in the dashboard.',
  'auth.leash_exhausted':
    'Wait until a person has decided some of them (list_actions), or withdraw some with withdraw_action.',
  'auth.state_mismatch': 'Start the connection again.',
  'auth.beta_only': 'Ask the operator of this server to open it.',
  'auth.oauth.invalid_client': 'Register the client at /oauth/register.',
  'auth.oauth.invalid_redirect': 'Use a registered one, or ask a person to add this one in the dashboard.',
  'auth.oauth.request_expired': 'Start again from the client.',
  'auth.oauth.user_missing': 'Sign in again.',

  'account.not_found': 'Use an id from list_accounts.',
  'account.already_linked': 'Disconnect it there first (disconnect_account).',
  'account.reconnection_required':
    'Send a person to the address that get_oauth_url (GET /v1/oauth/url) returns for its account_id.',
  'account.unsupported_platform': 'Use one that connect_account lists.',
  'account.no_active_page': 'Activate one with update_account_page.',
  'account.page_inactive': 'Activate it with update_account_page, or use another one from list_account_pages.',
  'account.pages_not_supported': 'Use the account itself, without a page_id.',
  'account.different_login': 'Sign in to the right account on the platform, and start again with get_oauth_url.',
  'account.platform_unsupported': 'Connect an account of another kind with connect_account.',
  'account.sync_cooldown': 'Call sync_account again later.',
  'brand.not_found': 'Use an id from list_brands.',
  'brand.limit_reached': 'Use the brand_id of an existing brand (list_brands).',
  'byok.credentials_missing': 'Set them on the server; docs/reference/platforms.md names the settings.',
  'byok.credentials_invalid': 'Compare the client id and secret with those of the app, and set them again.',
  'byok.credentials_forbidden': 'Grant it to the app on the platform, then try again.',
  'byok.test_rate_limited': 'Wait a minute and try again.',
  'invite.expired': 'Ask for a new one.',
  'invite.invalid': 'Ask for a new one.',

  'validation.field_required': 'Add it and call again.',
  'validation.field_invalid': 'Correct it and call again.',
  'validation.body_invalid': 'Correct the body and send it again.',
  'validation.redirect_uri_duplicate': 'Use it as it is; list_redirect_uris shows it.',
  'validation.scope_invalid': 'Use scopes from list_key_scopes (GET /v1/keys/scopes).',
  'validation.brand_invalid': 'Use ids from list_brands.',
  'validation.invalid_message_tag': 'Send that, or leave message_tag out.',
  'validation.post_limit_exhausted':
    'Wait until it is renewed (get_usage), or change to a plan that allows more (list_plans).',
  'validation.interaction_limit_exhausted':
    'Wait until it is renewed (get_usage), or change to a plan that allows more (list_plans).',
  'resource.not_found': 'Use the id from the list that shows it.',
  'resource.conflict': 'Read it again, and choose what its state allows.',
  'resource.gone': 'Create it again.',
  'resource.not_supported': 'Do it on the platform itself, or choose an account of another platform (list_accounts).',
  'media.not_found': 'Use an id from list_media, or add the file with upload_media.',
  'media.in_use': 'Remove it from that post with update_post, or delete the post with delete_post.',
  'media.not_ready': 'Send it to its upload_url, then call verify_media_upload (POST /v1/media/{media_id}/verify).',
  'conversation.not_found': 'Use an id from list_conversations.',

  'post.not_found': 'Use an id from list_posts.',
  'post.state_invalid': 'Look at the post and its targets with get_post.',
  'post.no_retryable_deliveries': 'Look at the post and its targets with get_post.',
  'post.publish_failed': 'Follow them, then call retry_post.',
  'publishing.delivery.account_load_failed': 'Create a new post for another account.',
  'publishing.delivery.page_resolve_failed': 'Choose one with update_account_page, then call retry_post.',
  'publishing.delivery.timeout': 'Check there. If it is missing, call retry_post with confirm_not_published.',
  'publishing.delivery.all_failed': 'Read them with get_post, then call retry_post.',
  'publishing.delivery.too_late': 'Call retry_post to publish it now.',
  'publishing.delivery.not_supported': 'Create a new post for another account, or with other content.',
  'publishing.delivery.interrupted': 'Call retry_post.',
  'publishing.delivery.taken_over': 'Check there. If it is missing, call retry_post.',
  'publishing.duplicate_target': 'List each target once.',
  'publishing.media.unsupported_source': 'Add the file with upload_media and name its media_id.',
  'publishing.media.mixing_unsupported': 'Check with get_constraints what can be combined.',

  'billing.brands_limit': 'Delete one with delete_brand, or change to a plan that allows more (list_plans).',
  'billing.past_due': 'Ask an administrator of the workspace to pay it.',
  'billing.post_limit': 'Send fewer; get_usage says how many are left.',
  'billing.storage_quota': 'Make room with delete_media; get_storage_usage says what is used.',
  'billing.platform_not_available': 'Choose another platform, or a plan that includes it (list_plans).',
  'billing.export_limit': 'Wait until they are renewed (get_usage).',
  'billing.export_cooldown': 'Wait, then ask for the export again.',
  'billing.export_concurrent': 'Wait until it is done.',
  'billing.profile_units_limit': 'Delete a brand with delete_brand, or deactivate a page with update_account_page.',

  'whatsapp.window_closed': 'Send a template with send_whatsapp_template.',
  'whatsapp.undeliverable': 'Check the number, or reach the person another way.',
  'whatsapp.user_opted_out': 'Do not send them any until they opt in again.',
  'whatsapp.template_not_found': 'Use one from list_whatsapp_templates.',
  'whatsapp.no_account': 'Use an account from list_accounts.',
  'whatsapp.template_paused': 'Use another template, or wait until WhatsApp resumes it.',
  'whatsapp.frequency_cap': 'Wait a day and try again.',
  'whatsapp.pair_rate_limit': 'Wait a minute and try again.',
  'whatsapp.throughput_exceeded': 'Wait a few seconds and try again.',
  'whatsapp.unknown': 'Check in WhatsApp whether it took effect, then try again.',
  'telegram.cannot_message': 'Ask them to start the bot.',
  'migration.key_invalid': 'Create a new key there, and send it.',
  'migration.key_restricted': 'Send a key that may read everything.',
  'migration.source_unavailable': 'Try again in a few minutes.',

  'http.404': 'Look up the routes in GET /openapi.json.',
  'http.405': 'Use a method from the Allow header.',
  'http.408': 'Send it again without pauses.',
  'http.413': 'Send a smaller body.',
  'http.415': 'Send it with Content-Type: application/json.',
  'http.421': 'Use the address in ROOT_URL, or add the name to ALLOWED_HOSTS.',
  'http.431': 'Shorten them, and send long values in the body.',
  'http.503': 'Try again in a few seconds.',
  'http.429': 'Wait a moment and try again.',
  'system.paused': 'Ask its operator. GET /readyz says why it is paused and how to end that.',
  'system.internal': "Try again. If it keeps failing, search the server's log for the request id.",
});

export const REASON_STEPS: Readonly<Record<PlatformReason, string>> = Object.freeze({
  auth: 'Connect the account again at the address that get_oauth_url returns.',
  rate_limit: 'Wait a few minutes and try again.',
  permission_denied:
    'Check what the account may do there, or have it connected again with all permissions (get_oauth_url).',
  api_error: 'Check there whether it took effect, then try again.',
  not_found: 'List it again: it may have been removed there.',
  invalid_request: 'Correct what was sent and call again.',
  duplicate: 'Check there. If you want it twice, change the text.',
  publish_limit: 'Wait until it allows more (get_account_limits), then try again.',
  blocked: 'Look at the account on the platform, which says why.',
  window_closed: 'Wait until they write again.',
  not_deliverable: 'Try again later, or reach the person another way.',
  dm_scope_missing: 'Create one that may, and connect the account again with connect_account.',
  no_pages: 'Sign in as someone who manages one, and start again with connect_account.',
  no_locations: 'Sign in as someone who manages one, and start again with connect_account.',
  no_channels: 'Create one on the platform, and start again with connect_account.',
  media_required: 'Add media or media_ids.',
  version_ended:
    'Ask the operator of this server to set a newer version (docs/reference/platforms.md, Versions), or to update it.',
  private_reply_ineligible: 'Answer it in public with reply_to_comment.',
});

const LISTED_BY: ReadonlyMap<string, string> = tableOf({
  account: 'list_accounts',
  brand: 'list_brands',
  page: 'list_account_pages',
  conversation: 'list_conversations',
  message: 'list_messages',
  comment: 'list_post_comments',
  reply: 'get_reviews',
  review: 'get_reviews',
  mention: 'get_mentions',
  webhook: 'list_webhooks',
  delivery: 'list_webhook_deliveries',
  key: 'list_keys',
  redirect_uri: 'list_redirect_uris',
  saved_reply: 'list_saved_replies',
});

export function stepOf(code: ErrorCode): string {
  const reason = platformReason(code);
  return reason === undefined ? STEPS[code as keyof typeof STEPS] : REASON_STEPS[reason];
}

/** The message as callers read it: what went wrong, and how to fix it. */
export function explain(error: ApiError, reader: Reader = 'program'): string {
  const { code, message, detail } = error;
  const own = detail.next ?? waiting(detail.retryAfter);
  if (reader === 'person') {
    return sentences(forPeople(message), stepForPeople(own ?? peopleStepOf(code) ?? stepOf(code)));
  }
  return sentences(message, own ?? listing(code, detail.meta) ?? stepOf(code));
}

/** Joins two sentences; the first may lack its full stop, and the second may be empty. */
export function sentences(first: string, second: string): string {
  if (second === '') return first;
  return /[.!?]\)?$/.test(first) ? `${first} ${second}` : `${first}. ${second}`;
}

/** How long to wait, if it is not long; for a longer wait, the catalogue's step says how to shorten it. */
function waiting(seconds: number | undefined): string | undefined {
  if (seconds === undefined || seconds > 3600) return undefined;
  return seconds > 120 ? `Try again in ${Math.ceil(seconds / 60)} min.` : `Try again in ${Math.ceil(seconds)} s.`;
}

function listing(code: ErrorCode, meta: ErrorMeta = {}): string | undefined {
  const operation = code === 'resource.not_found' ? LISTED_BY.get(String(meta['resource'])) : undefined;
  return operation && `Use an id from ${operation}.`;
}

/** The body of every refusal: docs/contract/errors.md#envelope. */
export function envelope(error: ApiError, requestId: string, reader?: Reader) {
  const { meta, members } = error.detail;
  return {
    ...members,
    error: { code: error.code, message: explain(error, reader), ...(meta && { meta }) },
    request_id: requestId,
  };
}
