import type { TargetError } from '#db/schema/database.ts';
import type { AccountRow } from '#db/access/accounts.ts';
import type { StepRow } from '#db/posts/steps.ts';
import { messageOf } from '#kernel/errors.ts';
import { reportedIn } from '#platforms/refusal.ts';
import { ownFailure } from '../state/target-error.ts';

type Progress = readonly Pick<StepRow, 'kind' | 'state'>[];

/** Whether a visible step was sent and its outcome is unknown. */
export function isUnsettled(steps: Progress): boolean {
  return steps.some(({ state, kind }) => state === 'sent' && kind !== 'invisible');
}

/** Whether something of a target is public, or may be. */
export function mayBePublic(steps: Progress): boolean {
  return steps.some(({ kind, state }) => kind !== 'invisible' && state !== 'kept');
}

export type Failure = Readonly<{
  failed: TargetError;
  /** The retries are used up: `failed` is the last failure. */
  exhausted?: boolean;
  /** The platform had not finished processing when the time limit was reached. */
  unfinished?: boolean;
}>;

/** How many posts of a thread are public, out of how many. */
type Parts = Readonly<{ published: number; of: number }>;

const GO_ON = 'Call retry_post to continue from there, or unpublish_post to remove what is public.';

/** Where a person can check whether the post is public. */
type Profile = Pick<AccountRow, 'profile_url' | 'username'>;

/** The final error of a target; with an unsettled step it says that the post may be public. */
export function finalError(
  { failed, exhausted = false, unfinished = false }: Failure,
  { unsettled, profile, parts }: Readonly<{ unsettled: boolean; profile: Profile | undefined; parts?: Parts }>,
): TargetError {
  const { published = 0, of = 1 } = parts ?? {};
  const partly =
    published === 0 ? '' : `${published} of ${of} posts of the thread ${published === 1 ? 'is' : 'are'} public. `;
  const last = { status: failed.status, upstream: failed.upstream, ...reportedIn(failed) };
  if (!unsettled && partly !== '') return { ...failed, message: partly + failed.message, next: GO_ON };
  const where = profile === undefined ? '' : ` See ${profile.profile_url ?? `@${profile.username}`}.`;
  if (unfinished)
    return unfinishedError({ ...failed, message: partly + failed.message }, { ...last, unsettled, where });
  if (!unsettled) {
    const code = 'publishing.delivery.interrupted';
    return exhausted ? ownFailure(code, { ...last, message: `${messageOf(code)} (${failed.message})` }) : failed;
  }
  const code = 'publishing.delivery.timeout';
  return ownFailure(code, { ...last, message: `${partly}${messageOf(code)}${where} (${failed.message})` });
}

/** The error for a post that the platform accepted but did not finish; a retry checks it again. */
function unfinishedError(
  { message }: TargetError,
  { unsettled, where, ...last }: Partial<TargetError> & Readonly<{ unsettled: boolean; where: string }>,
): TargetError {
  const next = 'Call retry_post: it looks again, and publishes nothing twice.';
  return unsettled
    ? ownFailure('publishing.delivery.timeout', {
        ...last,
        message: `${message} ${LATE} It may be public.${where}`,
        next,
      })
    : ownFailure('publishing.delivery.interrupted', {
        ...last,
        message: `${message} ${LATE} Nothing is public.`,
        next,
      });
}

const LATE = 'It has been in progress for too long.';
