import type { PlatformSlug } from './platforms.ts';

/** Every error code of the API. Codes are never reused; with `status: 0` they occur only in results and events. */
export const ERRORS = Object.freeze({
  'auth.missing_header': [401, 'The Authorization header is missing.'],
  'auth.empty_token': [401, 'The Authorization header has no token.'],
  'auth.invalid_key': [401, 'This API key is unknown or revoked.'],
  'auth.invalid_token': [401, 'This token is invalid or expired.'],
  'auth.invalid_secret': [403, 'The secret does not match.'],
  'auth.not_authenticated': [401, 'Nobody is signed in.'],
  'auth.not_provisioned': [401, 'This dashboard user has no account here yet.'],
  'auth.user_not_found': [401, 'The user of this token no longer exists.'],
  'auth.dashboard_only': [403, 'This operation is for the dashboard; API keys cannot call it.'],
  'auth.requires_dashboard_auth': [403, 'This operation is for the dashboard; OAuth tokens cannot call it.'],
  'auth.insufficient_scope': [403, 'This API key cannot perform this operation.'],
  'auth.leash_denied': [403, 'This connection may not do this.'],
  'auth.leash_exhausted': [429, 'Too many requests of this connection are already waiting for a person.'],
  'auth.state_mismatch': [403, 'This link has expired or was already used.'],
  'auth.beta_only': [403, 'This feature is not open for this workspace.'],
  'auth.oauth.invalid_client': [400, 'Unknown client_id.'],
  'auth.oauth.invalid_redirect': [400, 'This redirect_uri is not registered.'],
  'auth.oauth.request_expired': [400, 'This authorization request has expired.'],
  'auth.oauth.user_missing': [401, 'The user of this grant no longer exists.'],

  'account.not_found': [404, 'There is no such account.'],
  'account.already_linked': [409, 'This social account is already connected elsewhere.'],
  'account.reconnection_required': [403, 'This account must be connected again.'],
  'account.unsupported_platform': [400, 'This platform is unknown.'],
  'account.no_active_page': [400, 'This account has no active page.'],
  'account.page_inactive': [400, 'This page is not active.'],
  'account.pages_not_supported': [400, 'Accounts of this platform have no pages.'],
  'account.different_login': [409, 'You signed in to a different account than the one to connect again.'],
  'account.platform_unsupported': [422, 'This kind of account cannot be used on this platform.'],
  'account.sync_cooldown': [429, 'This account was synced within the last 5 minutes.'],
  'brand.not_found': [404, 'There is no such brand.'],
  'brand.limit_reached': [403, 'This needs another brand, and the plan allows no more.'],
  'byok.credentials_missing': [412, 'This platform needs app credentials that are not set.'],
  'byok.credentials_invalid': [401, 'The platform refused the app credentials.'],
  'byok.credentials_forbidden': [403, 'The app lacks a permission or an access level on the platform.'],
  'byok.test_rate_limited': [429, 'Credentials were tested too often.'],
  'invite.expired': [410, 'This invite has expired.'],
  'invite.invalid': [400, 'This invite is no longer valid.'],

  'validation.field_required': [400, 'A required field is missing.'],
  'validation.field_invalid': [400, 'A field has a wrong type, format or value.'],
  'validation.body_invalid': [400, 'The body must be a JSON object.'],
  'validation.redirect_uri_duplicate': [400, 'This redirect URI is already registered.'],
  'validation.scope_invalid': [400, 'One of the scopes is unknown.'],
  'validation.brand_invalid': [400, 'One of the brands does not exist.'],
  'validation.invalid_message_tag': [400, 'The only message_tag is HUMAN_AGENT.'],
  'validation.post_limit_exhausted': [429, 'The monthly post allowance of the plan is used up.'],
  'validation.interaction_limit_exhausted': [429, 'The monthly interaction allowance of the plan is used up.'],
  'resource.not_found': [404, 'There is no such resource.'],
  'resource.conflict': [409, 'The current state does not allow this.'],
  'resource.gone': [410, 'This was removed for good.'],
  'resource.not_supported': [501, 'The platform does not support this operation.'],
  'media.not_found': [404, 'There is no such media item.'],
  'media.in_use': [409, 'A post still uses this media item.'],
  'media.not_ready': [400, 'The file of this media item has not arrived yet, or is not verified.'],
  'conversation.not_found': [404, 'There is no such conversation.'],

  'post.not_found': [404, 'There is no such post.'],
  'post.state_invalid': [409, 'The state of the post does not allow this.'],
  'post.no_retryable_deliveries': [400, 'No target of this post failed, so there is nothing to retry.'],
  'post.publish_failed': [422, 'No target could be published. The results say why.'],
  'publishing.delivery.account_load_failed': [0, 'The account was removed before the post could be published.'],
  'publishing.delivery.page_resolve_failed': [0, 'The page is gone, inactive or ambiguous.'],
  'publishing.delivery.timeout': [0, 'It may be public: the platform did not say whether it published this post.'],
  'publishing.delivery.all_failed': [0, 'All targets failed, for different reasons.'],
  'publishing.delivery.too_late': [0, 'The scheduled time passed too long ago.'],
  'publishing.delivery.not_supported': [0, 'The platform cannot publish this kind of post.'],
  'publishing.delivery.interrupted': [0, 'It was interrupted several times before anything was sent.'],
  'publishing.delivery.taken_over': [0, 'This server is a copy, and the original may have published this post.'],
  'publishing.duplicate_target': [400, 'The same account and page appear twice in targets.'],
  'publishing.media.unsupported_source': [422, 'The platform does not accept media from this kind of source.'],
  'publishing.media.mixing_unsupported': [422, 'The platform does not allow these media in one post.'],

  'billing.brands_limit': [403, 'The plan allows no more brands.'],
  'billing.past_due': [402, 'The subscription is unpaid; most operations are refused until it is paid.'],
  'billing.post_limit': [429, 'The batch is larger than the remaining post allowance; nothing was created.'],
  'billing.storage_quota': [413, 'The upload would exceed the storage of the plan.'],
  'billing.platform_not_available': [403, 'This platform is not part of the plan.'],
  'billing.export_limit': [429, 'The monthly exports of the plan are used up.'],
  'billing.export_cooldown': [429, 'This account was exported too recently.'],
  'billing.export_concurrent': [429, 'An export of this account is still running.'],
  'billing.profile_units_limit': [403, 'Brands and pages together would exceed the plan.'],

  'whatsapp.window_closed': [400, 'The 24-hour window is closed.'],
  'whatsapp.undeliverable': [400, 'This number cannot be reached.'],
  'whatsapp.user_opted_out': [403, 'This person opted out of marketing messages.'],
  'whatsapp.template_not_found': [404, 'There is no such template.'],
  'whatsapp.no_account': [404, 'There is no such WhatsApp number.'],
  'whatsapp.template_paused': [409, 'This template is paused.'],
  'whatsapp.frequency_cap': [429, 'This person received too many marketing messages.'],
  'whatsapp.pair_rate_limit': [429, 'Too many messages to this person in a short time.'],
  'whatsapp.throughput_exceeded': [429, 'This number sends messages too fast.'],
  'whatsapp.unknown': [502, 'WhatsApp answered with an unknown error.'],
  'telegram.cannot_message': [403, 'This person has blocked the bot or never started it.'],
  'migration.key_invalid': [0, 'The provider does not accept the key.'],
  'migration.key_restricted': [0, 'The key may not read everything that is needed.'],
  'migration.source_unavailable': [0, 'The provider cannot be reached.'],

  'http.404': [404, 'There is no such route.'],
  'http.405': [405, 'This route does not support this method.'],
  'http.408': [408, 'The request took too long to arrive.'],
  'http.413': [413, 'The body is too large.'],
  'http.415': [415, 'The body must be JSON.'],
  'http.421': [421, 'This server does not serve this host name.'],
  'http.431': [431, 'The URL or the headers are too long.'],
  'http.503': [503, 'The server cannot do this at the moment.'],
  'http.429': [429, 'Too many requests.'],
  'system.paused': [503, 'This server is paused and does not publish, send or fetch anything.'],
  'system.internal': [500, 'Something went wrong on our side.'],
} as const satisfies Record<string, readonly [status: number, message: string]>);

/** Reasons of platform refusals, with the HTTP status that applies unless the platform's own is more exact. */
export const PLATFORM_REASONS = Object.freeze({
  auth: [401, 'The platform refused the stored token.'],
  rate_limit: [429, 'The platform is throttling this account.'],
  permission_denied: [403, 'The platform does not allow this account to do that.'],
  api_error: [502, 'The platform failed, or its answer could not be read.'],
  not_found: [404, 'The platform does not know this item.'],
  invalid_request: [400, 'The platform refused the content.'],
  duplicate: [409, 'The platform says that this already exists.'],
  publish_limit: [429, "The platform's publishing limit is reached."],
  blocked: [403, 'The platform blocked this action.'],
  window_closed: [400, 'The time window for messages to this person is closed.'],
  not_deliverable: [422, 'The platform cannot deliver this message now.'],
  dm_scope_missing: [403, 'The app password may not read direct messages.'],
  no_pages: [404, 'The login manages no pages.'],
  no_locations: [404, 'The login manages no locations.'],
  no_channels: [404, 'The login has no channel.'],
  media_required: [400, 'The platform does not publish posts without media.'],
  version_ended: [502, 'The platform no longer supports the version of its API that this server uses.'],
  private_reply_ineligible: [400, 'This comment cannot, or can no longer, be answered in private.'],
} as const satisfies Record<string, readonly [status: number, message: string]>);

export type PlatformReason = keyof typeof PLATFORM_REASONS;
export type ErrorCode = keyof typeof ERRORS | `platform.${PlatformSlug}.${PlatformReason}`;

export type OwnCode = Extract<keyof typeof ERRORS, `${PlatformSlug}.${string}`>;

export function ownCodes(platform: PlatformSlug): readonly OwnCode[] {
  return (Object.keys(ERRORS) as (keyof typeof ERRORS)[]).filter((code): code is OwnCode =>
    code.startsWith(`${platform}.`),
  );
}

/** Platform codes for refused messages to people. */
export const MESSAGE_CODES = Object.freeze([
  'whatsapp.window_closed',
  'whatsapp.undeliverable',
  'whatsapp.user_opted_out',
  'whatsapp.frequency_cap',
  'whatsapp.pair_rate_limit',
  'whatsapp.throughput_exceeded',
  'whatsapp.unknown',
  'telegram.cannot_message',
] as const satisfies readonly OwnCode[]);

export type ErrorMeta = Readonly<Record<string, unknown>>;
export type ErrorDetail = Readonly<{
  /** What went wrong, if the catalogue's message is too general. */
  message?: string;
  /** The next step, if the catalogue's step does not apply. */
  next?: string | undefined;
  meta?: ErrorMeta;
  /** The value of Retry-After in seconds; rounded up. */
  retryAfter?: number;
  /** Fields to add next to the error, such as the post of a 422. */
  members?: Readonly<Record<string, unknown>>;
  status?: number;
  cause?: unknown;
}>;

/** An error of the catalogue, shown to the caller; any other exception becomes system.internal. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: ErrorDetail;

  constructor(code: ErrorCode, detail: ErrorDetail = {}) {
    const [status, message] = entryOf(code);
    super(detail.message ?? absenceOf(code, detail.meta) ?? message, { cause: detail.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = detail.status ?? status;
    this.detail = detail;
  }
}

/** The store is unreachable, full or read-only: callers get http.503, background work is retried. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';

  constructor(cause: unknown) {
    super('the store is unavailable', { cause });
  }
}

function entryOf(code: ErrorCode): readonly [number, string] {
  const reason = platformReason(code);
  return reason === undefined ? ERRORS[code as keyof typeof ERRORS] : PLATFORM_REASONS[reason];
}

/** Longer ids cannot be ours and would make the message unreadable. */
const LONGEST_NAMED = 64;

function absenceOf(code: ErrorCode, { resource, id }: ErrorMeta = {}): string | undefined {
  if (!code.endsWith('.not_found') || typeof resource !== 'string' || typeof id !== 'string') return undefined;
  const thing = resource === 'media' ? 'media item' : resource.replaceAll('_', ' ');
  return id.length > LONGEST_NAMED ? `There is no such ${thing}.` : `There is no ${thing} ${id}.`;
}

/** The reason of a platform's refusal; undefined for our own codes. */
export function platformReason(code: ErrorCode): PlatformReason | undefined {
  return code.startsWith('platform.') ? (code.slice(code.lastIndexOf('.') + 1) as PlatformReason) : undefined;
}

export function messageOf(code: ErrorCode): string {
  return entryOf(code)[1];
}

export function fail(code: ErrorCode, detail?: ErrorDetail): never {
  throw new ApiError(code, detail);
}

/** Returns the result of the work, or the ApiError that it throws. */
export function orRefusal<T>(work: () => T): T | ApiError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Returns the result of asynchronous work, or the ApiError that it throws. */
export async function orRefusalLater<T>(work: () => T | Promise<T>): Promise<T | ApiError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** The error for a missing resource; some resources have a code of their own. */
export function absence(resource: string, id: string, code = absenceCodeOf(resource), cause?: unknown) {
  return new ApiError(code, { meta: { resource, id }, cause });
}

function absenceCodeOf(resource: string): ErrorCode {
  const own = `${resource}.not_found`;
  return Object.hasOwn(ERRORS, own) ? (own as ErrorCode) : 'resource.not_found';
}

/** The error for the first unknown brand; undefined if all are known. */
export function unknownBrand(ids: readonly string[], known: ReadonlySet<string>): ApiError | undefined {
  const id = ids.find((named) => !known.has(named));
  if (id === undefined) return undefined;
  return new ApiError('validation.brand_invalid', {
    message: `There is no brand ${id}.`,
    meta: { field: 'brand_ids', id },
  });
}

/** Statuses below 500 after which a retry may succeed. */
const PASSING: ReadonlySet<number> = new Set([401, 402, 408, 409, 429]);

/** Whether a retry of the same request may succeed. */
export function isPassing(status: number): boolean {
  return status >= 500 || PASSING.has(status);
}

export function noSuch(resource: string, id: string): never {
  throw absence(resource, id);
}
