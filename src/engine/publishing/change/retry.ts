import { loadAccount } from '#db/access/accounts.ts';
import { movePost, patchPost, type PostRow } from '#db/posts/posts.ts';
import type { Store } from '#db/store/store.ts';
import { clearSent, finishStep, forgetSteps, listSteps, type FinishedStep } from '#db/posts/steps.ts';
import { listTargets, patchTarget, type TargetRow } from '#db/posts/targets.ts';
import type { Tx } from '#db/store/tx.ts';
import type { Workspace } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import { fail, type ErrorDetail } from '#kernel/errors.ts';
import { platformFor, type Platforms } from '#platforms/lookup.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { LOST, type StepValues } from '../attempt/step-values.ts';
import { refuseUnseen, stateInvalid, type PostLookup, type Requester } from '../read/lookup.ts';
import { waitingOf } from '../read/waiting.ts';
import { postEventFields } from '../state/activity.ts';
import { isOpen, MOVES, retryRefusal } from '../state/machine.ts';
import { ownFailure } from '../state/target-error.ts';

/** A target to retry, and the result of looking up its visible step. */
type Retried = Readonly<{
  target: TargetRow;
  found?: FinishedStep | 'absent' | 'unknown';
}>;

/** The targets that can be retried, and those that cannot because their progress was lost. */
type Retryable = Readonly<{ retried: readonly Retried[]; lost: readonly TargetRow[] }>;

type Cure = Pick<ErrorDetail, 'message' | 'next'>;

const RECONNECT: Cure = Object.freeze({
  message: 'The accounts of the failed targets must be connected again first.',
  next: 'Send a person to the addresses that get_oauth_url returns for them, then call retry_post.',
});

/** An account that was removed gets another id when it is connected again. */
const withoutAccount = ({ status }: PostRow, { account_id }: TargetRow): Cure => ({
  message: `The account ${account_id} was removed.`,
  next: MOVES.edit.includes(status)
    ? 'Use other accounts in targets with update_post.'
    : 'Create a new post for another one with create_post.',
});

type RetryDeps = Readonly<{
  store: Store;
  clock: Clock;
  attempt: Attempt;
  values: StepValues;
  lookup: PostLookup;
  platforms: Platforms;
}>;

/** Finds the targets to retry and looks up unclear outcomes: docs/contract/publishing.md#retrying-by-hand. */
function makeRetryable({
  store,
  attempt,
  values,
  platforms,
}: Pick<RetryDeps, 'store' | 'attempt' | 'values' | 'platforms'>) {
  /**
   * The targets to retry whose accounts are connected; refuses if there are none, or if the post's state forbids it.
   */
  async function retryable(post: PostRow): Promise<Retryable> {
    const all = await listTargets(store.db, [post.id]);
    const targets = all.filter(({ status }) => isOpen(post.status, status));
    const meta = { id: post.id, status: post.status };
    const refusal = retryRefusal(post.status, targets.length > 0);
    const message = refusal === 'post.state_invalid' ? `A ${post.status} post cannot be retried.` : undefined;
    if (refusal) fail(refusal, { message, ...waitingOf(post, all), meta });
    const settled = await Promise.all(targets.map((target) => settle(post, target)));
    const retried = settled.filter((found) => typeof found === 'object');
    const lost = targets.filter((_, at) => settled[at] === 'lost');
    if (retried.length > 0) return { retried, lost };
    const removed = targets.find((_, at) => settled[at] === 'removed');
    const cure = removed ? withoutAccount(post, removed) : LOST;
    return fail('post.no_retryable_deliveries', { ...(settled.includes('disconnected') ? RECONNECT : cure), meta });
  }

  async function settle(post: PostRow, target: TargetRow): Promise<Retried | 'lost' | 'disconnected' | 'removed'> {
    const account = await loadAccount(store.db, target.account_id);
    if (account === undefined) return 'removed';
    if (account.status !== 'active') return 'disconnected';
    const platform = platformFor(platforms, account);
    const steps = await listSteps(store.db, target.id);
    if (values.isLost(steps)) return 'lost';
    const { done, sent, kept } = values.progressOf(steps);
    const open = [...sent.values()].find(({ kind }) => kind === 'visible');
    if (!open || !platform?.posts) return { target };
    const work = { target, post, account, platform };
    const input = { post: await attempt.describe(work), done, kept: kept.get(open.name) };
    const settled = await attempt.settle(work, input, open);
    if (typeof settled === 'string') return { target, found: settled };
    const step = platform.posts.publish.steps(input.post, done).find(({ name }) => name === open.name) ?? open;
    return { target, found: values.finished(target.id, step, settled.made) };
  }

  return retryable;
}

/** Restarts failed targets, charges a credit and emits the event; false if another request was faster. */
async function retryPost(
  tx: Tx,
  post: PostRow,
  { workspace, retried, lost }: Retryable & Readonly<{ workspace: Workspace }>,
  now: number,
): Promise<boolean> {
  const round = post.retry_count + 1;
  const patch = { status: 'publishing' as const, retry_count: round, updated_at: now };
  if (!(await movePost(tx.db, post, MOVES.retry, patch))) return false;
  await patchPost(tx.db, post.id, { charged: await tx.charge('posts', workspace, 1) });
  const gone = ownFailure('publishing.delivery.interrupted', LOST);
  for (const { id } of lost) await patchTarget(tx.db, id, { error: gone });
  for (const { target, found } of retried) {
    if (typeof found === 'object') await finishStep(tx.db, target.id, found, now);
    else if (found !== undefined) await clearSent(tx.db, target.id);
    if (target.error?.redo) await forgetSteps(tx.db, target.id, target.error.redo);
    await patchTarget(tx.db, target.id, {
      status: 'publishing',
      action: 'retry',
      round,
      repeats: 0,
      error: null,
      unsettled: 0,
      started_at: now,
      due_at: now,
    });
  }
  const { fields, about } = postEventFields(
    post,
    retried.map(({ target }) => target),
  );
  await tx.emit({
    ...about,
    name: 'post.retried',
    data: { ...fields, retried_count: retried.length },
    summary: `Retrying ${retried.length} of the targets`,
  });
  tx.signal('targets');
  return true;
}

/** Retries failed targets; `confirmed`: the caller checked that doubtful ones were not published. */
export function makeRetry(deps: RetryDeps) {
  const { store, clock, lookup } = deps;
  const retryable = makeRetryable(deps);
  return async function retry({ authority, workspace, seen }: Requester, id: string, confirmed: boolean) {
    return lookup.contested(id, async () => {
      const { post } = await lookup.owned(authority, id);
      refuseUnseen(post, seen);
      const { retried, lost } = await retryable(post);
      const doubtful = retried.find(({ found }) => found === 'unknown');
      if (doubtful && !confirmed) {
        const { platform } = doubtful.target;
        const next = 'Check there. If it is missing, call retry_post with confirm_not_published.';
        stateInvalid(post, `${platform} does not say whether it published.`, next);
      }
      return store.write(async (tx) => {
        if (!(await retryPost(tx, post, { workspace, retried, lost }, clock.now()))) return undefined;
        const answer = await lookup.answer(authority, id, tx.db);
        const begun = { success: true, ok: true, retried_count: retried.length, ...answer };
        await tx.key?.record(begun);
        return begun;
      });
    });
  };
}
