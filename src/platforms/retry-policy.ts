import { ApiError, type ErrorCode } from '../kernel/errors.ts';
import { PlatformError } from './errors.ts';

const HOUR = 3_600_000;
/** Answers that only a new connection of the account makes good. */
const OVER: ReadonlySet<ErrorCode> = new Set(['account.reconnection_required', 'account.not_found']);

/**
 * When something that is done for an account again and again is to be tried next after it failed; a platform that
 * keeps failing is left alone for longer and longer.
 */
export function makeRetryPolicy() {
  /** Failures in a row, by account. */
  const failures = new Map<string, number>();

  return Object.freeze({
    forget: (accountId: string) => void failures.delete(accountId),

    /** The wait in milliseconds, or `over` when there is nothing to wait for; throws what no platform is to blame for. */
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

/** True when an account is gone or must be connected again: that begins everything anew. */
export function isOver(thrown: unknown): boolean {
  if (thrown instanceof ApiError) return OVER.has(thrown.code);
  return thrown instanceof PlatformError && thrown.kind === 'refused' && thrown.reason === 'auth';
}

/** A time of ours, a little more or less, so that accounts connected together do not stay together. */
export function withJitter(ms: number): number {
  return Math.round(ms * (0.9 + Math.random() * 0.2));
}
