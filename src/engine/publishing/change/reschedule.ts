import type { Store } from '#db/store/store.ts';
import type { Progress } from '#call/context.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { explain } from '#kernel/envelope.ts';
import { ApiError, orRefusalLater } from '#kernel/errors.ts';
import type { Changes } from '../content/changes.ts';
import type { PostLookup, Requester } from '../read/lookup.ts';
import { editPost, type Edit } from './edit.ts';
import type { Update } from './update.ts';

/** A post and its new time. */
export type NewTime = Readonly<{ post_id: string; scheduled_at: number }>;

export type RescheduleInput = Readonly<{ posts: readonly NewTime[]; dryRun: boolean }>;

/** What becomes of a post: the edit that a dry run would make, nothing where none is left to be made, or its refusal. */
type Rescheduling = Edit | undefined | ApiError;

type RescheduleDeps = Readonly<{
  store: Store;
  clock: Clock;
  lookup: PostLookup;
  updating: Pick<Update, 'accept' | 'edit'>;
}>;

/** Undoes the transaction of a rehearsal. */
class Undo extends Error {}

/** Moves many posts in time, each as an edit of its own: what is refused keeps no other from being moved. */
export function makeReschedule({ store, clock, lookup, updating }: RescheduleDeps) {
  function move({ authority, workspace }: Requester, { post_id, scheduled_at }: NewTime, dryRun: boolean) {
    const changes: Changes = {
      content: {},
      targets: undefined,
      scheduledAt: scheduled_at,
      hidden: undefined,
      skipValidation: false,
    };
    return lookup.contested(post_id, async () => {
      const owned = await lookup.owned(authority, post_id);
      if (dryRun) return { edit: await updating.accept(authority, workspace, owned, changes) };
      return (await updating.edit(authority, workspace, owned, changes)) && { edit: undefined };
    });
  }

  /** What would become of edits that were made one after the other, found out in a transaction that is undone. */
  async function rehearse(edits: readonly Rescheduling[]): Promise<readonly Rescheduling[]> {
    const outcomes: Rescheduling[] = [];
    const rehearsal = store.write(async (tx) => {
      for (const edit of edits) {
        const isEdit = edit !== undefined && !(edit instanceof ApiError);
        const done = isEdit ? await orRefusalLater(() => editPost(tx, edit, clock.now())) : undefined;
        outcomes.push(done instanceof ApiError ? done : edit);
      }
      throw new Undo();
    });
    await rehearsal.catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error;
    });
    return outcomes;
  }

  return async function reschedule(
    requester: Requester,
    { posts, dryRun }: RescheduleInput,
    progress: Progress = () => {},
  ) {
    const outcomes: Rescheduling[] = [];
    for (const [at, post] of posts.entries()) {
      const moved = await orRefusalLater(() => move(requester, post, dryRun));
      outcomes.push(moved instanceof ApiError ? moved : moved.edit);
      progress(at + 1, posts.length, `${at + 1} of ${posts.length} posts`);
    }
    const results = (dryRun ? await rehearse(outcomes) : outcomes).map((outcome, at) => shown(posts[at]!, outcome));
    return {
      dry_run: dryRun,
      rescheduled: results.filter(({ success }) => success).length,
      failed: results.filter(({ success }) => !success).length,
      results,
    };
  };
}

function shown({ post_id, scheduled_at }: NewTime, outcome: Rescheduling) {
  if (outcome instanceof ApiError) {
    return { post_id, success: false, error: { code: outcome.code, message: explain(outcome) } };
  }
  return { post_id, success: true, scheduled_at: isoTime(scheduled_at) };
}
