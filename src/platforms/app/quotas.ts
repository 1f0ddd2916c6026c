import type { Window } from '#kernel/limits/windows.ts';
import { PlatformError } from '../errors.ts';

/** What a platform lets an app or an account use in a window; requests say what they cost of it. */
export type Quota = Window &
  Readonly<{
    /** Units of one window; without a limit nothing is counted. */
    limit?: number;
    /** A setting of the platform whose value is the limit instead. */
    setting?: string;
    /** What counts together: everything done with one app, or for one account. */
    per: 'app' | 'account';
  }>;

export type Quotas = Readonly<Record<string, Quota>>;

/** What a request uses of a quota of its platform, by the quota's name. */
export type Cost = Readonly<{ bucket: string; units: number }>;

/** A request that was not made, as a quota is used up until `until` (milliseconds). */
export class QuotaSpent extends PlatformError {
  override name = 'QuotaSpent';
  readonly until: number;

  constructor(bucket: string, { now, until }: Readonly<{ now: number; until: number }>) {
    const message = `The quota of ${bucket} is used up until ${new Date(until).toISOString()}.`;
    super('throttled', 'rate_limit', message, { retryAfter: Math.max(1, Math.ceil((until - now) / 1000)) });
    this.until = until;
  }
}
