import type { ErrorCode, OwnCode, PlatformReason } from '#kernel/errors.ts';

export type FailureKind =
  /** A final refusal of the platform. */
  | 'refused'
  /** Throttled: no effect; a later retry may succeed. */
  | 'throttled'
  /** Provably nothing was sent. */
  | 'not_sent'
  /** The platform still works on what earlier requests began; nothing is in doubt, and the step is run again later. */
  | 'pending'
  /** It may or may not have taken effect; default of unlisted errors. */
  | 'unknown';

/** What connecting answers where the app was refused, and not the person. */
export type AppCode = Extract<ErrorCode, 'byok.credentials_invalid' | 'byok.credentials_forbidden'>;

/** A code in place of that of the reason: one of the platform's own, or that the present state does not allow it. */
export type FailureCode = OwnCode | AppCode | 'resource.conflict';

/** What the platform itself said of an error: its numbers or names, and its words, which nobody here wrote. */
export type ErrorDetails = Readonly<{ code?: number | string; subcode?: number; message?: string }>;

/** The same as callers see it, beside the status. */
export type Reported = Readonly<{
  platform_status?: number;
  platform_code?: number | string;
  platform_subcode?: number;
  platform_message?: string;
}>;

/** A connector's failure, classified by the connector's own table. Raw upstream text goes to the log only. */
export class PlatformError extends Error {
  override name = 'PlatformError';
  readonly kind: FailureKind;
  readonly reason: PlatformReason;
  readonly status: number | undefined;
  readonly code: FailureCode | undefined;
  /** Seconds until it may be tried again. */
  readonly retryAfter: number | undefined;
  /** The platform's own code and text, for the log and the stored attempt. */
  readonly upstream: string | undefined;
  /** The same as callers see it. */
  readonly details: ErrorDetails;
  /** The platform refused in its own words, and no table lists them: final, unless something may be public by it. */
  readonly unlisted: boolean;
  /** The session is expired, not revoked: refreshing it once is worth a try. */
  readonly expired: boolean;
  /** A refusal that often passes: what can be done again is, before it counts. */
  readonly passing: boolean;
  /** What earlier steps made is of no use any more: a later try makes it anew (`redo` of a step). */
  readonly spent: boolean;

  constructor(
    outcome: FailureKind,
    reason: PlatformReason,
    message: string,
    detail: Readonly<{
      status?: number;
      code?: FailureCode | undefined;
      retryAfter?: number | undefined;
      upstream?: string;
      details?: ErrorDetails;
      unlisted?: boolean;
      expired?: boolean;
      passing?: boolean;
      spent?: boolean;
      cause?: unknown;
    }> = {},
  ) {
    super(message, { cause: detail.cause });
    this.kind = outcome;
    this.reason = reason;
    this.status = detail.status;
    this.code = detail.code;
    this.retryAfter = detail.retryAfter;
    this.upstream = detail.upstream;
    this.details = detail.details ?? {};
    this.unlisted = detail.unlisted ?? false;
    this.expired = detail.expired ?? false;
    this.passing = detail.passing ?? false;
    this.spent = detail.spent ?? false;
  }
}
