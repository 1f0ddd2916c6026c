import { PLATFORM_REASONS, type PlatformReason } from '../../kernel/errors.ts';
import type { PlatformAnswer } from '../call.ts';
import { type FailureKind, PlatformError } from '../errors.ts';

type Row = readonly [outcome: FailureKind, reason: PlatformReason, expired?: 'expired'];

/** Error names of the protocol. Any other name is `unknown`. */
const BY_NAME: Readonly<Record<string, Row>> = Object.freeze({
  ExpiredToken: ['refused', 'auth', 'expired'],
  InvalidToken: ['refused', 'auth'],
  AuthenticationRequired: ['refused', 'auth'],
  AuthMissing: ['refused', 'auth'],
  AuthFactorTokenRequired: ['refused', 'auth'],
  AccountNotFound: ['refused', 'auth'],
  // The account no longer exists: it counts as disconnected until its owner connects it again.
  AccountTakedown: ['refused', 'auth'],
  AccountSuspended: ['refused', 'auth'],
  AccountDeactivated: ['refused', 'auth'],
  RepoTakendown: ['refused', 'auth'],
  RepoSuspended: ['refused', 'auth'],
  RepoDeactivated: ['refused', 'auth'],
  ScopeMissingError: ['refused', 'permission_denied'],
  BlockedActor: ['refused', 'blocked'],
  BlockedByActor: ['refused', 'blocked'],
  RecordNotFound: ['refused', 'not_found'],
  NotFound: ['refused', 'not_found'],
  HandleNotFound: ['refused', 'not_found'],
  RepoNotFound: ['refused', 'not_found'],
  BlobNotFound: ['refused', 'invalid_request'],
  InvalidMimeType: ['refused', 'invalid_request'],
  InvalidRequest: ['refused', 'invalid_request'],
  InvalidSwap: ['refused', 'duplicate'],
  PayloadTooLarge: ['refused', 'invalid_request'],
  RateLimitExceeded: ['throttled', 'rate_limit'],
});

/** Names whose meaning depends on the message text; the first match overrides the name. */
const BY_TEXT: readonly (readonly [name: string, text: RegExp, row: Row])[] = Object.freeze([
  ['InvalidToken', /^Token has expired/i, ['refused', 'auth', 'expired']],
  ['InvalidToken', /^Bad token method/i, ['refused', 'dm_scope_missing']],
  ['InvalidToken', /^Bad token scope/i, ['refused', 'permission_denied']],
  ['InvalidRequest', /^(?:Could not (?:find repo|locate record)|Unable to resolve handle)/i, ['refused', 'not_found']],
  ['InvalidRequest', /^recipient (?:requires|has disabled)/i, ['refused', 'not_deliverable']],
  // A PDS without an AppView; the request itself is valid.
  ['InvalidRequest', /^No service configured/i, ['unknown', 'api_error']],
]);

/**
 * The meaning of these and further names when the chat service may have returned them: there they concern a
 * conversation or its other member, and never require a reconnect.
 */
const IN_CHAT: Readonly<Record<string, Row>> = Object.freeze({
  ScopeMissingError: ['refused', 'dm_scope_missing'],
  AuthenticationRequired: ['refused', 'permission_denied'],
  AuthMissing: ['refused', 'permission_denied'],
  AccountNotFound: ['refused', 'not_found'],
  AccountTakedown: ['refused', 'blocked'],
  AccountSuspended: ['refused', 'blocked'],
  AccountDeactivated: ['refused', 'blocked'],
  InvalidConvo: ['refused', 'not_found'],
  ConvoLocked: ['refused', 'not_deliverable'],
  RecipientNotFound: ['refused', 'not_deliverable'],
  BlockedActor: ['refused', 'not_deliverable'],
  BlockedByActor: ['refused', 'not_deliverable'],
  MessagesDisabled: ['refused', 'not_deliverable'],
  NotFollowedBySender: ['refused', 'not_deliverable'],
});

const LONGEST_WAIT_S = 86_400;

/** The name and message of an error body, truncated; the body is untrusted. */
export function bodyOf(answer: PlatformAnswer): Readonly<{ name: string; text: string }> {
  const word = (value: unknown, most: number) => (typeof value === 'string' ? value.slice(0, most) : '');
  try {
    const body: unknown = JSON.parse(Buffer.from(answer.body).toString('utf8'));
    const { error, message } = (body ?? {}) as Record<string, unknown>;
    return { name: word(error, 100), text: word(message, 300) };
  } catch {
    return { name: '', text: '' };
  }
}

/** Classifies a non-2xx response by the error names of the protocol. */
export function refusalOf(answer: PlatformAnswer, now: number, of: 'network' | 'chat' = 'network'): PlatformError {
  const { name, text } = bodyOf(answer);
  const inChat = of === 'chat' && isFinal(answer.status) && Object.hasOwn(IN_CHAT, name) ? IN_CHAT[name]! : undefined;
  const [outcome, reason, expired] = inChat ?? rowOf(answer.status, name, text);
  return new PlatformError(outcome, reason, PLATFORM_REASONS[reason][1], {
    status: answer.status,
    upstream: `${name || 'HTTP'} ${answer.status}${text && `: ${text}`}`,
    expired: expired === 'expired',
    retryAfter: outcome === 'throttled' ? waitOf(answer.headers, now) : undefined,
  });
}

function rowOf(status: number, name: string, text: string): Row {
  if (status === 429) return ['throttled', 'rate_limit'];
  if (status === 413) return ['refused', 'invalid_request'];
  if (status === 501) return ['refused', 'api_error'];
  if (!isFinal(status)) return ['unknown', 'api_error'];
  const special = BY_TEXT.find(([special, pattern]) => special === name && pattern.test(text));
  return special?.[2] ?? (Object.hasOwn(BY_NAME, name) ? BY_NAME[name]! : ['unknown', 'api_error']);
}

function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

/** Seconds to wait: `RateLimit-Reset` is a unix time here, and a PDS sends no Retry-After. */
function waitOf(headers: PlatformAnswer['headers'], now: number): number | undefined {
  const after = Number(headers['retry-after'] ?? Number.NaN);
  const reset = Number(headers['ratelimit-reset'] ?? Number.NaN) - now / 1000;
  const wait = Number.isFinite(after) ? after : reset;
  return Number.isFinite(wait) ? Math.min(Math.max(Math.ceil(wait), 1), LONGEST_WAIT_S) : undefined;
}

/** Whether the PDS works and only the AppView behind it does not respond. */
export function isWithoutAppView(error: unknown): boolean {
  return (
    error instanceof PlatformError &&
    (error.status === 501 ||
      /^(?:UpstreamFailure|UpstreamTimeout|InvalidRequest 400: No service configured)/.test(error.upstream ?? ''))
  );
}

/** Whether the server has no AppView at all; a retry does not help. */
export function isNeverWithAppView(error: unknown): boolean {
  return isWithoutAppView(error) && !(error as PlatformError).upstream?.startsWith('Upstream');
}

/** Whether the error is the protocol's error of this name. */
export function isNamed(error: unknown, name: string): error is PlatformError {
  return error instanceof PlatformError && (error.upstream ?? '').startsWith(`${name} `);
}
