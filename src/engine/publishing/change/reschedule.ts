import type { Store } from '#db/store/store.ts';
import type { Progress } from '#call/context.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { isRehearsal, rehearse } from '#kernel/effects/rehearsal.ts';
import { explain } from '#kernel/envelope.ts';
import { ApiError, fail, orRefusalLater } from '#kernel/errors.ts';
import { movedTime } from '../content/addressing.ts';
import type { Changes } from '../content/changes.ts';
import type { Owned, PostLookup, Requester } from '../read/lookup.ts';
import { editPost, type Edit } from './edit.ts';
import { refuseUnbound, type Update } from './update.ts';

export type NewTime = Readonly<{ post_id: string; scheduled_at: number }>;

export type RescheduleInput = Readonly<{ posts: readonly NewTime[]; dryRun: boolean }>;

/** A target with its own time, and what that time becomes. */
type MovedTarget = Readonly<{ account_id: string; page_id?: string; scheduled_at: string }>;

/** The new times of a post; a dry run also returns the edit, unless nothing would change. */
type Rescheduled = Readonly<{ edit?: Edit | undefined; owned?: Owned; targets: readonly MovedTarget[] }>;

type RescheduleResult = Rescheduled | ApiError;

type RescheduleDeps = Readonly<{
  store: Store;
  clock: Clock;
  lookup: PostLookup;
  updating: Pick<Update, 'accept' | 'edit'>;
}>;

/** Reschedules many posts with one edit each, so that a refusal does not affect the others. */
export function makeReschedule({ store, clock, lookup, updating }: RescheduleDeps) {
  function move(requester: Requester, { post_id, scheduled_at }: NewTime, dryRun: boolean) {
    const { authority, workspace } = requester;
    const fields = { content: {}, targets: undefined, hidden: undefined, skipValidation: false };
    return lookup.contested(post_id, async (): Promise<Rescheduled | undefined> => {
      const owned = await lookup.owned(authority, post_id);
      const shift = shiftOf(owned, scheduled_at);
      const changes: Changes = { ...fields, scheduledAt: scheduled_at, shift };
      const targets = movedTargets(owned, shift);
      if (dryRun) return { edit: await updating.accept(authority, workspace, owned, changes), owned, targets };
      return (await updating.edit(requester, owned, changes)) && { targets };
    });
  }

  /** Tries the edits one after the other in a transaction that is rolled back, and returns the outcomes. */
  async function foresee(accepted: readonly RescheduleResult[]): Promise<readonly RescheduleResult[]> {
    const outcomes: RescheduleResult[] = [];
    await rehearse(() =>
      store.write(async (tx) => {
        for (const one of accepted) {
          const edit = one instanceof ApiError ? undefined : one.edit;
          const done = edit && (await orRefusalLater(() => editPost(tx, edit, clock.now())));
          outcomes.push(done instanceof ApiError ? done : one);
        }
      }),
    );
    return outcomes;
  }

  return async function reschedule(
    requester: Requester,
    { posts, dryRun }: RescheduleInput,
    progress: Progress = () => {},
  ) {
    const isTried = dryRun || isRehearsal();
    const outcomes: RescheduleResult[] = [];
    for (const [at, post] of posts.entries()) {
      outcomes.push(await orRefusalLater(() => move(requester, post, isTried)));
      progress(at + 1, posts.length, `${at + 1} of ${posts.length} posts`);
    }
    const settled = isTried ? await foresee(outcomes) : outcomes;
    if (isRehearsal()) refusePointless(settled);
    const results = settled.map((outcome, at) => presentResult(posts[at]!, outcome));
    return {
      dry_run: dryRun,
      rescheduled: results.filter(({ success }) => success).length,
      failed: results.filter(({ success }) => !success).length,
      results,
    };
  };
}

/** Before a person is asked to approve: refuses if no post can be moved, or if a file may change later. */
function refusePointless(outcomes: readonly RescheduleResult[]): void {
  const [first] = outcomes;
  if (first instanceof ApiError && outcomes.every((one) => one instanceof ApiError)) {
    const { code, message, detail } = first;
    fail('validation.field_invalid', {
      message: `posts: none of them can be moved. The first: ${message}`,
      next: detail.next,
      meta: { field: 'posts', code },
    });
  }
  for (const one of outcomes) if ('owned' in one && one.owned && one.edit) refuseUnbound(one.owned, one.edit);
}

/** By how much to move a post; one without a time counts from the earliest time of its targets. */
function shiftOf({ post, targets }: Owned, scheduledAt: number): number {
  const own = targets.flatMap(({ scheduled_at }) => scheduled_at ?? []);
  return own.length === 0 ? 0 : scheduledAt - (post.scheduled_at ?? Math.min(...own));
}

function movedTargets({ targets }: Owned, shift: number): readonly MovedTarget[] {
  return targets.flatMap(({ account_id, page_id, scheduled_at }) => {
    const at = movedTime(scheduled_at, shift);
    return at === undefined ? [] : { account_id, ...(page_id !== null && { page_id }), scheduled_at: isoTime(at) };
  });
}

function presentResult({ post_id, scheduled_at }: NewTime, outcome: RescheduleResult) {
  if (outcome instanceof ApiError) {
    return { post_id, success: false, error: { code: outcome.code, message: explain(outcome) } };
  }
  const { targets } = outcome;
  return { post_id, success: true, scheduled_at: isoTime(scheduled_at), ...(targets.length > 0 && { targets }) };
}
