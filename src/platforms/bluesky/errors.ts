import { PlatformError } from '../errors.ts';
import { type ErrorRow, errorTable, type Failed, isInconclusive, waitOf, wordOf } from '../shared/errors.ts';
import type { Answer } from '../shared/rest.ts';

const AUTH = ['refused', 'auth'] as const;
const DENIED = ['refused', 'permission_denied'] as const;
const BLOCKED = ['refused', 'blocked'] as const;
const MISSING = ['refused', 'not_found'] as const;
const INVALID = ['refused', 'invalid_request'] as const;
const UNDELIVERABLE = ['refused', 'not_deliverable'] as const;
const NO_CHAT = ['refused', 'dm_scope_missing'] as const;
const UNKNOWN = ['unknown', 'api_error'] as const;

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
  // The PDS has no AppView; the request itself is valid.
  [{ name: 'InvalidRequest', text: /^No service configured/i }, ...UNKNOWN],
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
  return (
    error instanceof PlatformError &&
    (error.status === 501 ||
      /^(?:UpstreamFailure|UpstreamTimeout|InvalidRequest 400: No service configured)/.test(error.upstream ?? ''))
  );
}

/** Whether the server has no AppView at all, so that a retry does not help. */
export function isNeverWithAppView(error: unknown): boolean {
  return isWithoutAppView(error) && !(error as PlatformError).upstream?.startsWith('Upstream');
}
