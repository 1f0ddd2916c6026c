import { platformReason, type ERRORS, type ErrorCode, type PlatformReason } from '../errors.ts';

const AGAIN = 'Load the page again.';
const GONE = 'It may have been deleted: load the page again.';

/** Next steps for people, for errors whose step for programs names operations. */
const STEPS: Readonly<Partial<Record<keyof typeof ERRORS, string>>> = Object.freeze({
  'auth.invalid_token': 'Sign in again.',
  'auth.leash_exhausted': 'Decide on some of them under Assistants first.',
  'account.not_found': 'It may have been disconnected: load the page again.',
  'account.reconnection_required': 'Connect it again under Accounts, or ask an administrator to.',
  'account.no_active_page': 'Switch one on under Accounts, or ask an administrator to.',
  'account.page_inactive': 'Choose another one. An administrator can switch it on under Accounts.',
  'account.different_login': 'Sign in to the right account on the platform, and connect it again.',
  'account.platform_unsupported': 'Connect an account of another kind.',
  'account.sync_cooldown': 'Try again in a few minutes.',
  'brand.not_found': GONE,
  'brand.limit_reached': 'Choose an existing brand.',
  'validation.field_required': 'Add it and try again.',
  'validation.field_invalid': 'Correct it and try again.',
  'validation.body_invalid': AGAIN,
  'validation.brand_invalid': AGAIN,
  'resource.not_found': GONE,
  'resource.conflict': 'Load the page again, and choose what is possible now.',
  'media.not_found': 'It may have been deleted: choose another file.',
  'media.in_use': 'Remove it from that post, or delete the post.',
  'media.not_ready': 'Wait until it has arrived, or add it again.',
  'conversation.not_found': GONE,
  'post.not_found': GONE,
  'post.state_invalid': 'Load the page again to see its state.',
  'post.no_retryable_deliveries': 'Load the page again to see its state.',
  'post.publish_failed': 'Correct what they name, then publish it again.',
  'publishing.delivery.page_resolve_failed': 'Choose one under Accounts, then publish again.',
  'publishing.delivery.timeout': 'Check there. If it is missing, publish again.',
  'publishing.delivery.all_failed': 'Read them, then publish again.',
  'publishing.delivery.too_late': 'Publish it now.',
  'publishing.delivery.interrupted': 'Publish it again.',
  'publishing.delivery.taken_over': 'Check there. If it is missing, publish again.',
  'publishing.media.unsupported_source': 'Add the file itself.',
  'publishing.media.mixing_unsupported': 'Remove what cannot be combined.',
  'billing.brands_limit': 'Delete one, or change to a plan that allows more.',
  'billing.post_limit': 'Send fewer.',
  'billing.storage_quota': 'Delete files that are no longer needed under Media.',
  'billing.platform_not_available': 'Choose another platform, or a plan that includes it.',
  'billing.profile_units_limit': 'Delete a brand, or switch off a page under Accounts.',
  'whatsapp.window_closed': 'Send a template.',
  'whatsapp.template_not_found': 'Choose another template.',
  'whatsapp.no_account': 'Choose another account.',
  'http.404': 'Check the address.',
});

const REASONS: Readonly<Partial<Record<PlatformReason, string>>> = Object.freeze({
  auth: 'Connect the account again, or ask an administrator to.',
  invalid_request: 'Change it and try again.',
  dm_scope_missing: 'Create one that may, and connect the account again.',
  no_pages: 'Sign in as someone who manages one, and connect the account again.',
  no_locations: 'Sign in as someone who manages one, and connect the account again.',
  no_channels: 'Create one on the platform, and connect the account again.',
  media_required: 'Add a picture or a video.',
  private_reply_ineligible: 'Answer it in public.',
});

/** The next step of an error for people; undefined if the step for programs suits them too. */
export function peopleStepOf(code: ErrorCode): string | undefined {
  const reason = platformReason(code);
  return reason === undefined ? STEPS[code as keyof typeof STEPS] : REASONS[reason];
}
