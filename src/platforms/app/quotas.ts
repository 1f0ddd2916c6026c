import type { Window } from '#kernel/limits/windows.ts';
import { PlatformError } from '../errors.ts';

/** A limit on an app's or account's use of a platform per window; requests state their cost. */
export type Quota = Window &
  Readonly<{
    /** Units per window; if absent, nothing is counted. */
    limit?: number;
    /** The setting that replaces the limit. */
    setting?: string;
    per: 'app' | 'account';
  }>;

export type Quotas = Readonly<Record<string, Quota>>;

export type Cost = Readonly<{ bucket: string; units: number }>;

/** Thrown in place of sending a request if the quota is used up until `until` (milliseconds). */
export class QuotaSpent extends PlatformError {
  override name = 'QuotaSpent';
  readonly until: number;

  constructor(bucket: string, { now, until }: Readonly<{ now: number; until: number }>) {
    const message = `The quota of ${bucket} is used up until ${new Date(until).toISOString()}.`;
    super('throttled', 'rate_limit', message, { retryAfter: Math.max(1, Math.ceil((until - now) / 1000)) });
    this.until = until;
  }
}
