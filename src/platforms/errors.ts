import type { ErrorCode, OwnCode, PlatformReason } from '#kernel/errors.ts';

export type FailureKind =
  /** A final refusal. */
  | 'refused'
  /** Throttled: no effect; a later retry may succeed. */
  | 'throttled'
  /** Provably nothing was sent. */
  | 'not_sent'
  /** The platform still works on earlier requests; nothing is in doubt, and the step runs again later. */
  | 'pending'
  /** It may or may not have taken effect; default of unlisted errors. */
  | 'unknown';

/** Answered when connecting fails because of the app, not the person. */
export type AppCode = Extract<ErrorCode, 'byok.credentials_invalid' | 'byok.credentials_forbidden'>;

/** A code that replaces that of the reason: one of the platform, or a conflict with the present state. */
export type FailureCode = OwnCode | AppCode | 'resource.conflict';

/** The platform's own numbers, names and text for an error: untrusted. */
export type ErrorDetails = Readonly<{ code?: number | string; subcode?: number; message?: string }>;

export type Reported = Readonly<{
  platform_status?: number;
  platform_code?: number | string;
  platform_subcode?: number;
  platform_message?: string;
}>;

/** A connector's failure, classified by its own table; raw upstream text goes to the log only. */
export class PlatformError extends Error {
  override name = 'PlatformError';
  readonly kind: FailureKind;
  readonly reason: PlatformReason;
  readonly status: number | undefined;
  readonly code: FailureCode | undefined;
  readonly retryAfter: number | undefined;
  /** The platform's own code and text, for the log and the stored attempt. */
  readonly upstream: string | undefined;
  readonly details: ErrorDetails;
  /** A refusal that no table lists: final, unless something may be public because of it. */
  readonly unlisted: boolean;
  /** The session is expired, not revoked: one refresh is worth a try. */
  readonly expired: boolean;
  /** A refusal that often passes: what is repeatable is repeated before it counts. */
  readonly passing: boolean;
  /** The results of earlier steps are useless; a later try makes them again (`redo` of a step). */
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
