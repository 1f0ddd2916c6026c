import type { ErrorCode, OwnCode, PlatformReason } from '#kernel/errors.ts';

export type FailureKind =
  /** A final refusal. */
  | 'refused'
  /** Throttled without effect; a later retry may succeed. */
  | 'throttled'
  /** It is certain that nothing was sent. */
  | 'not_sent'
  /** The platform is still working on earlier requests without an error; the step runs again later. */
  | 'pending'
  /** The request may or may not have taken effect; also used for errors that no table lists. */
  | 'unknown';

/** The error codes of a connection that fails because of the app, not the person. */
export type AppCode = Extract<ErrorCode, 'byok.credentials_invalid' | 'byok.credentials_forbidden'>;

/** A code used in place of the reason's: one of the platform's own, of the app, or a conflict. */
export type FailureCode = OwnCode | AppCode | 'resource.conflict';

/** The platform's own numbers, names and text for an error, all untrusted. */
export type ErrorDetails = Readonly<{ code?: number | string; subcode?: number; message?: string }>;

export type Reported = Readonly<{
  platform_status?: number;
  platform_code?: number | string;
  platform_subcode?: number;
  platform_message?: string;
}>;

/** A connector's failure, classified by its own table; the platform's raw text only goes to the log. */
export class PlatformError extends Error {
  override name = 'PlatformError';
  readonly kind: FailureKind;
  readonly reason: PlatformReason;
  readonly status: number | undefined;
  readonly code: FailureCode | undefined;
  /** Seconds until a retry, if the platform says so. */
  readonly retryAfter: number | undefined;
  /** The platform's own code and text, for the log and the stored attempt. */
  readonly upstream: string | undefined;
  readonly details: ErrorDetails;
  /** A refusal that no table lists: final, unless the request may have published something. */
  readonly unlisted: boolean;
  /** The session has expired but is not revoked, so it is refreshed once. */
  readonly expired: boolean;
  /** The refusal is often temporary, so steps that can be repeated are retried before it is final. */
  readonly passing: boolean;
  /** Results of earlier steps are unusable; a later try runs those steps again (`redo` of a step). */
  readonly spent: boolean;

  constructor(
    kind: FailureKind,
    reason: PlatformReason,
    message: string,
    detail: Readonly<{
      status?: number | undefined;
      code?: FailureCode | undefined;
      retryAfter?: number | undefined;
      upstream?: string | undefined;
      details?: ErrorDetails | undefined;
      unlisted?: boolean | undefined;
      expired?: boolean | undefined;
      passing?: boolean | undefined;
      spent?: boolean | undefined;
      cause?: unknown;
    }> = {},
  ) {
    super(message, { cause: detail.cause });
    this.kind = kind;
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
