import { PlatformError } from '../errors.ts';
import { type ErrorRow, errorTable, type Failed, isInconclusive, isNamed, waitOf, wordOf } from '../shared/errors.ts';
import type { Answer } from '../shared/rest.ts';

const AUTH = ['refused', 'auth'] as const;
const DENIED = ['refused', 'permission_denied'] as const;
const BLOCKED = ['refused', 'blocked'] as const;
const MISSING = ['refused', 'not_found'] as const;
const INVALID = ['refused', 'invalid_request'] as const;
const UNDELIVERABLE = ['refused', 'not_deliverable'] as const;
const NO_CHAT = ['refused', 'dm_scope_missing'] as const;
const UNKNOWN = ['unknown', 'api_error'] as const;

/** The text of an error for a valid request that needs an AppView, which the PDS does not have. */
const NO_SERVICE = /^No service configured/i;

const BY_STATUS: readonly ErrorRow[] = [
  [{ status: 429 }, 'throttled', 'rate_limit'],
  [{ status: 413 }, ...INVALID],
  [{ status: 501 }, 'refused', 'api_error'],
  [isInconclusive, ...UNKNOWN],
];

const BY_NAME: readonly ErrorRow[] = [
  [{ name: 'InvalidToken', text: /^Token has expired/i }, ...AUTH, { expired: true }],
  [{ name: 'InvalidToken', text: /^Bad token method/i }, ...NO_CHAT],
  [{ name: 'InvalidToken', text: /^Bad token scope/i }, ...DENIED],
  [
    { name: 'InvalidRequest', text: /^(?:Could not (?:find repo|locate record)|Unable to resolve handle)/i },
    ...MISSING,
  ],
  [{ name: 'InvalidRequest', text: /^recipient (?:requires|has disabled)/i }, ...UNDELIVERABLE],
  [{ name: 'InvalidRequest', text: NO_SERVICE }, ...UNKNOWN],
  [{ name: 'ExpiredToken' }, ...AUTH, { expired: true }],
  [{ name: ['InvalidToken', 'AuthenticationRequired', 'AuthMissing', 'AuthFactorTokenRequired'] }, ...AUTH],
  // The account no longer exists, so it counts as disconnected until its owner connects it again.
  [{ name: ['AccountNotFound', 'AccountTakedown', 'AccountSuspended', 'AccountDeactivated'] }, ...AUTH],
  [{ name: ['RepoTakendown', 'RepoSuspended', 'RepoDeactivated'] }, ...AUTH],
  [{ name: 'ScopeMissingError' }, ...DENIED],
  [{ name: ['BlockedActor', 'BlockedByActor'] }, ...BLOCKED],
  [{ name: ['RecordNotFound', 'NotFound', 'HandleNotFound', 'RepoNotFound'] }, ...MISSING],
  [{ name: ['BlobNotFound', 'InvalidMimeType', 'InvalidRequest', 'PayloadTooLarge'] }, ...INVALID],
  [{ name: 'InvalidSwap' }, 'refused', 'duplicate'],
  [{ name: 'RateLimitExceeded' }, 'throttled', 'rate_limit'],
];

/** In the chat service these errors are about a conversation or its other member, so no reconnect is required. */
const IN_CHAT: readonly ErrorRow[] = [
  [{ name: 'ScopeMissingError' }, ...NO_CHAT],
  [{ name: ['AuthenticationRequired', 'AuthMissing'] }, ...DENIED],
  [{ name: ['AccountNotFound', 'InvalidConvo'] }, ...MISSING],
  [{ name: ['AccountTakedown', 'AccountSuspended', 'AccountDeactivated'] }, ...BLOCKED],
  [{ name: ['ConvoLocked', 'RecipientNotFound', 'BlockedActor', 'BlockedByActor'] }, ...UNDELIVERABLE],
  [{ name: ['MessagesDisabled', 'NotFollowedBySender'] }, ...UNDELIVERABLE],
];

export const TABLES = Object.freeze({
  network: errorTable([...BY_STATUS, ...BY_NAME]),
  chat: errorTable([...BY_STATUS, ...IN_CHAT, ...BY_NAME]),
});

export function errorOf(
  { status, headers, body }: Answer,
  now: number,
  of: keyof typeof TABLES,
): PlatformError | undefined {
  if (status >= 200 && status <= 299) return undefined;
  const { error, message } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const failed: Failed = { status, name: wordOf(error, 100), text: wordOf(message, 300), wait: waitOf(headers, now) };
  return TABLES[of].errorOf(failed);
}

/** Whether the PDS works but the AppView behind it does not respond. */
export function isWithoutAppView(error: unknown): boolean {
  return isNeverWithAppView(error) || isNamed(error, 'UpstreamFailure') || isNamed(error, 'UpstreamTimeout');
}

/** Whether the server has no AppView at all, so that a retry does not help. */
export function isNeverWithAppView(error: unknown): boolean {
  if (isNamed(error, 'InvalidRequest')) return NO_SERVICE.test(error.details.message ?? '');
  return error instanceof PlatformError && error.status === 501;
}
