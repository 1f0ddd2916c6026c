import type { Window } from '#kernel/limits/windows.ts';
import { PlatformError } from '../errors.ts';

/** What an app or account may use of a platform in a window; requests state their cost. */
export type Quota = Window &
  Readonly<{
    /** Units per window; without a limit nothing is counted. */
    limit?: number;
    /** A setting of the platform that replaces the limit. */
    setting?: string;
    per: 'app' | 'account';
  }>;

export type Quotas = Readonly<Record<string, Quota>>;

export type Cost = Readonly<{ bucket: string; units: number }>;

/** A request that was not made because a quota is used up until `until` (milliseconds). */
export class QuotaSpent extends PlatformError {
  override name = 'QuotaSpent';
  readonly until: number;

  constructor(bucket: string, { now, until }: Readonly<{ now: number; until: number }>) {
    const message = `The quota of ${bucket} is used up until ${new Date(until).toISOString()}.`;
    super('throttled', 'rate_limit', message, { retryAfter: Math.max(1, Math.ceil((until - now) / 1000)) });
    this.until = until;
  }
}
