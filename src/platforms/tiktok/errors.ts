import type { PlatformReason } from '#kernel/errors.ts';
import type { PlatformError } from '../errors.ts';
import { type ErrorRow, errorTable, wordOf } from '../shared/errors.ts';
import { tokenErrorsBy } from '../shared/oauth.ts';
import { type Answer, errorsBy } from '../shared/rest.ts';

/** TikTok counts requests per minute but does not say how long to wait. */
const MINUTE_S = 60;
const FORBIDDEN = ['refused', 'permission_denied'] as const;
const INVALID = ['refused', 'invalid_request'] as const;
const UNDELIVERED = 'TikTok delivers 10 messages within 48 hours after the person has written.';

const refusals = (reason: PlatformReason, sentences: Readonly<Record<string, string>>): readonly ErrorRow[] =>
  Object.entries(sentences).map(([name, sentence]) => [{ name }, 'refused', reason, sentence]);

/** Errors and later failures: names of TikTok for Developers, and numbers of the API for Business (sent with 200). */
export const table = errorTable([
  [{ status: 429 }, 'throttled', 'rate_limit'],
  [({ status, name }) => status >= 500 || /^5\d{4}$/.test(name), 'unknown', 'api_error'],
  [{ name: ['rate_limit_exceeded', '40100'] }, 'throttled', 'rate_limit'],
  [{ name: ['access_token_invalid', '40102', '40104', '40105'] }, 'refused', 'auth', { expired: true }],
  [{ text: /access token is incorrect|has been revoked/i }, 'refused', 'auth', { expired: true }],
  ...refusals('permission_denied', {
    scope_not_authorized: 'The login did not grant this.',
    scope_permission_missed: 'The login did not grant this.',
    token_not_authorized_for_specified_publish_id: 'Another login has begun this post.',
    unaudited_client_can_only_post_to_private_accounts:
      'Until TikTok has audited the app, only the creator can see its posts.',
    url_ownership_unverified: 'Verify the prefix of our media addresses with TikTok: <origin>/media/.',
    auth_removed: 'The creator removed the app while the post was made.',
  }),
  ...refusals('publish_limit', {
    reached_active_user_cap: 'The app may not post for more accounts today.',
    spam_risk_too_many_posts: 'TikTok accepts no more posts from this account today.',
    40004: 'TikTok accepts no more posts from this account today.',
    spam_risk_too_many_pending_share: 'TikTok keeps 5 drafts a day: post or delete one in the app.',
  }),
  ...refusals('blocked', {
    spam_risk_user_banned_from_posting: 'TikTok has banned this account from posting.',
    spam_risk: 'TikTok considers this spam.',
    spam_risk_text: 'TikTok considers this spam.',
  }),
  ...refusals('invalid_request', {
    privacy_level_option_mismatch: 'The creator cannot choose this visibility: see get_creator_info.',
    file_format_check_failed: 'TikTok cannot read this file.',
    duration_check_failed: 'The video is too short or too long for TikTok.',
    frame_rate_check_failed: 'TikTok accepts 23 to 60 frames a second.',
    picture_size_check_failed: 'The pictures are too small or too large for TikTok.',
    video_pull_failed: 'TikTok could not fetch the media from here.',
    photo_pull_failed: 'TikTok could not fetch the media from here.',
    publish_cancelled: 'The post was cancelled in TikTok.',
  }),
  [{ name: '40064' }, 'refused', 'not_deliverable', UNDELIVERED],
  [{ text: /48[ -]?h|10 messages|message window/i }, 'refused', 'not_deliverable', UNDELIVERED],
  [{ name: '40007' }, 'refused', 'not_found'],
  [{ text: /not found|not exist/i }, 'refused', 'not_found'],
  [{ name: '40001' }, ...FORBIDDEN],
  [
    {
      name: [
        'invalid_param',
        'invalid_params',
        'invalid_file_upload',
        'app_version_check_failed',
        'invalid_publish_id',
        '40002',
      ],
    },
    ...INVALID,
  ],
  // Numbers of this form in the API for Business mean a wrong request, although the status is 200.
  [{ name: /^4\d{4}$/ }, 'unknown', 'api_error', { unlisted: true }],
]);

const tokenTable = errorTable([
  ...table.rows.slice(0, 3),
  [{ text: /secret|client|app.?id/i }, ...FORBIDDEN],
  [{ text: /token|code/i }, 'refused', 'auth'],
  [{ name: ['40001', '40002'] }, ...INVALID],
]);

type Words = Readonly<{ code?: unknown; message?: unknown }>;

const nameOfCode = (code: unknown): string => (typeof code === 'number' ? String(code) : wordOf(code, 100));

/** Reads the error of a response; a success has the code `ok`, 0 or none. */
function failedOf({ status, body }: Answer) {
  const { error, ...own } = (body ?? {}) as Words & Readonly<{ error?: Words }>;
  const { code, message } = error ?? own;
  const isFine = code === undefined || code === 'ok' || code === 0;
  if (status >= 200 && status <= 299 && isFine) return undefined;
  return {
    status,
    name: isFine ? '' : nameOfCode(code),
    text: wordOf(message, 300),
    wait: MINUTE_S,
  };
}

export const errorOf = errorsBy(table, failedOf);
const BUSINESS = { slug: 'tiktok_business', title: 'TikTok API for Business' } as const;
export const tokenErrorOf = tokenErrorsBy(BUSINESS, tokenTable, failedOf);

export const failureOf = (reason: string): PlatformError =>
  table.failureOf({ name: reason, text: '' }, ['api_error', 'TikTok failed to make the post.']);
