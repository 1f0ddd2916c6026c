import { HOUR } from '#kernel/clock.ts';
import { ApiError, type ErrorCode } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { PlatformError } from './errors.ts';
import type { SkippedPage } from './inbound.ts';
import { conclusive } from './refusal.ts';

/** Errors after which the account must be reconnected or no longer exists. */
const OVER: ReadonlySet<ErrorCode> = new Set(['account.reconnection_required', 'account.not_found']);

/** Retries periodic work of accounts with increasing delays. */
export function makeRetryPolicy() {
  /** Number of consecutive failures by account. */
  const failures = new Map<string, number>();

  return Object.freeze({
    forget: (accountId: string) => void failures.delete(accountId),

    /** The delay in milliseconds, or `over` if a retry is pointless; rethrows errors that no platform caused. */
    after(accountId: string, thrown: unknown, leastMs: number): number | 'over' {
      if (isOver(thrown)) {
        failures.delete(accountId);
        return 'over';
      }
      if (!(thrown instanceof PlatformError)) throw thrown;
      if (thrown.kind === 'throttled' && thrown.retryAfter !== undefined) {
        return Math.max(thrown.retryAfter * 1000, leastMs);
      }
      const before = failures.get(accountId) ?? 0;
      failures.set(accountId, before + 1);
      return Math.max(leastMs, Math.min(leastMs * 2 ** (before + 1), HOUR));
    },
  });
}

/** Whether an account was deleted or must be reconnected. */
export function isOver(thrown: unknown): boolean {
  if (thrown instanceof ApiError) return OVER.has(thrown.code);
  return thrown instanceof PlatformError && thrown.kind === 'refused' && thrown.reason === 'auth';
}

/** Whether a platform gave a final refusal that is not about the session. */
export function isRefusal(error: unknown): error is PlatformError {
  return error instanceof PlatformError && conclusive(error).kind === 'refused' && error.reason !== 'auth';
}

/** Adds jitter, so that accounts connected at the same time are not polled at the same time. */
export function withJitter(ms: number): number {
  return Math.round(ms * (0.9 + Math.random() * 0.2));
}

/** Logs pages that could not be read: once each, and again only after a successful read. */
export function makeSkipLog(log: Log) {
  const skippedBefore = new Map<string, ReadonlySet<string>>();

  return function logSkipped(
    { id, platform }: Readonly<{ id: string; platform: PlatformSlug }>,
    skipped: readonly SkippedPage[] = [],
  ): void {
    const before = skippedBefore.get(id);
    for (const { page, error } of skipped) {
      if (!before?.has(page)) log.info({ account_id: id, platform, page, error }, 'page skipped');
    }
    if (skipped.length === 0) skippedBefore.delete(id);
    else skippedBefore.set(id, new Set(skipped.map(({ page }) => page)));
  };
}

/** The warnings of a response from which parts of an account are missing. */
export function warningsOf(
  skipped: readonly SkippedPage[] = [],
  pages: readonly Readonly<{ platform_page_id: string; name: string }>[] = [],
  lost: 'was left out' | 'was read in part' = 'was left out',
): readonly string[] {
  const nameOf = (id: string): string => {
    const page = pages.find(({ platform_page_id }) => platform_page_id === id);
    return page === undefined ? id : `page ${page.name}`;
  };
  const all = skipped.map(({ page, error }) => `The ${nameOf(page)} ${lost}: ${conclusive(error).message}`);
  return [...new Set(all)];
}
