import type { TargetError } from '#db/schema/database.ts';
import { ApiError, type ErrorCode } from '#kernel/errors.ts';
import { OutboundError } from '#kernel/net/outbound.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { Step } from '#platforms/posts.ts';
import { conclusive } from '#platforms/refusal.ts';
import { ownFailure, platformFailure } from '../state/target-error.ts';

/** `reported` is final unless `again` is set; until the retry, clients see `meanwhile` if it is set. */
export type AttemptFailure = Readonly<{ reported: TargetError; again?: PlatformError; meanwhile?: TargetError }>;

const PASSING: ReadonlySet<OutboundError['kind']> = new Set(['dns', 'connect', 'tls', 'timeout', 'reset']);

const PAGELESS: ReadonlySet<ErrorCode> = new Set(['account.no_active_page', 'account.page_inactive']);

/** The failed step, and whether an earlier attempt sent it too. */
type Tried = Readonly<{ step?: Step | undefined; again?: boolean }>;

/** The steps that a retry repeats; never a visible step that an earlier attempt may have completed. */
function redoneAfter({ step, again }: Tried): readonly string[] | undefined {
  if (step?.redo === undefined || (again && step.kind === 'visible')) return undefined;
  return [...step.redo, step.name];
}

/** Classifies a thrown error; undefined if it is unexpected. Unlisted refusals count only for invisible steps. */
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
  // The user can only fix a wrong URL, and so far nothing shows that this one is wrong.
  if (thrown.code !== 'validation.field_invalid') return { reported, again };
  const notYet = `This media cannot be fetched yet. (${message})`;
  return { reported, again, meanwhile: ownFailure('publishing.delivery.interrupted', { message: notYet }) };
}

/** The failure to retry if media could not be fetched: the URL may work in a minute, and the post was not refused. */
function passingOf({ cause, message }: ApiError): PlatformError | undefined {
  if (cause instanceof PlatformError) return cause;
  if (!(cause instanceof OutboundError) || !PASSING.has(cause.kind)) return undefined;
  return new PlatformError(cause.sent ? 'unknown' : 'not_sent', 'api_error', message, { cause });
}
