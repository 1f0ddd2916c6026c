import type { TargetError } from '#db/schema/database.ts';
import { ApiError, type ErrorCode } from '#kernel/errors.ts';
import { OutboundError } from '#kernel/net/outbound.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { Step } from '#platforms/posts.ts';
import { conclusive } from '#platforms/refusal.ts';
import { ownFailure, platformFailure } from '../state/target-error.ts';

/** How a try failed: for good, or (with `again`) in a way that may pass; `meanwhile` is what is shown until it does. */
export type AttemptFailure = Readonly<{ reported: TargetError; again?: PlatformError; meanwhile?: TargetError }>;

const PASSING: ReadonlySet<OutboundError['kind']> = new Set(['dns', 'connect', 'tls', 'timeout', 'reset']);

/** What the finder of pages says when none of an account's can take the post. */
const PAGELESS: ReadonlySet<ErrorCode> = new Set(['account.no_active_page', 'account.page_inactive']);

/** The step that failed, and whether an earlier try sent it too. */
type Tried = Readonly<{ step?: Step | undefined; again?: boolean }>;

/** The steps that a retry does anew; a visible one never where an earlier try of it may have taken effect. */
function redoneAfter({ step, again }: Tried): readonly string[] | undefined {
  if (step?.redo === undefined || (again && step.kind === 'visible')) return undefined;
  return [...step.redo, step.name];
}

/**
 * Sorts what a connector or another module threw; undefined for what nobody meant to throw. A refusal that no table
 * lists is one only where nobody sees what the step does.
 */
export function attemptFailureOf(
  platform: PlatformSlug,
  thrown: unknown,
  tried: Tried = {},
): AttemptFailure | undefined {
  if (thrown instanceof PlatformError) {
    const error = (tried.step?.kind ?? 'invisible') === 'invisible' ? conclusive(thrown) : thrown;
    const reported = platformFailure(platform, error);
    if (error.kind !== 'refused') return { reported, again: error };
    return { reported: error.spent ? { ...reported, redo: redoneAfter(tried) } : reported };
  }
  if (!(thrown instanceof ApiError)) return undefined;
  if (thrown.code === 'account.not_found') return { reported: ownFailure('publishing.delivery.account_load_failed') };
  if (
    PAGELESS.has(thrown.code) ||
    (thrown.code === 'resource.not_found' && thrown.detail.meta?.['resource'] === 'page')
  ) {
    return { reported: ownFailure('publishing.delivery.page_resolve_failed', { message: thrown.message }) };
  }
  const { message, status, detail } = thrown;
  const reported = ownFailure(thrown.code, { message, next: detail.next, status });
  const again = passingOf(thrown);
  if (again === undefined) return { reported };
  // Only a wrong address is the user's to put right, and whether it is one is not known yet.
  if (thrown.code !== 'validation.field_invalid') return { reported, again };
  const notYet = `This media cannot be fetched yet. (${message})`;
  return { reported, again, meanwhile: ownFailure('publishing.delivery.interrupted', { message: notYet }) };
}

/** A media address that does not answer now may answer in a minute; the post itself has not been refused. */
function passingOf({ cause, message }: ApiError): PlatformError | undefined {
  if (cause instanceof PlatformError) return cause;
  if (!(cause instanceof OutboundError) || !PASSING.has(cause.kind)) return undefined;
  return new PlatformError(cause.sent ? 'unknown' : 'not_sent', 'api_error', message, { cause });
}
