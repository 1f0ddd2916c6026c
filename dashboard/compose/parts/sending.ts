import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { RefusedError } from '../../lib/call.ts';
import type { Post } from '../../lib/operations.ts';
import { instantOf, shortDay } from '../../lib/time.ts';
import { makeActs } from './acts.ts';
import type { Issue } from '../rules.ts';
import type { State } from './state.ts';
import { makeStoring, type StoringDeps } from './storing.ts';

export type SendingDeps = StoringDeps &
  Readonly<{
    zone: string;
    newKey(): string;
    stored(post: Post): void;
  }>;

export function makeSending(
  deps: SendingDeps,
  state: State,
  { faults, keepNow }: Readonly<{ faults: ReadonlySignal<readonly Issue[]>; keepNow(): void }>,
) {
  const { call, zone, newKey, stored } = deps;
  const { post, draft, elsewhere, keeping, problem, targets, isEmpty } = state;
  const { content, store, settle, done } = makeStoring(deps, state);
  const isAsking = signal(false);
  const { isBusy, act } = makeActs({
    newKey,
    begun() {
      problem.value = undefined;
      isAsking.value = false;
    },
    failed: refused,
  });

  /** Shows a refusal beside the buttons; the draft stays. */
  async function refused(thrown: unknown): Promise<void> {
    keeping.value = 'writing';
    keepNow();
    if (!(thrown instanceof RefusedError)) {
      problem.value = 'The server was not reached. What you wrote is kept here; press again.';
      return;
    }
    const { code, message, meta } = thrown;
    if (code === 'post.publish_failed') return done(String(meta['id']), 'Nothing was published: see why.');
    problem.value = message;
    if (code !== 'resource.conflict' || post.value === undefined) return;
    problem.value = 'Nothing was stored: the post was changed elsewhere. See above.';
    elsewhere.value = await call('get_post', { post_id: post.value.id }).catch(() => undefined);
  }

  function lacks(): string | undefined {
    if (targets.value.length === 0) return 'Choose where to post first.';
    if (isEmpty.value) return 'Write something first.';
    return faults.value.length > 0 ? 'Mend first what is listed above.' : undefined;
  }

  return {
    isBusy,
    isAsking: computed(() => isAsking.value),

    schedule: () =>
      act(async (keyFor) => {
        const [day = '', time = ''] = draft.value.when.split('T');
        problem.value = lacks() ?? (day === '' ? 'Say when it goes out first.' : undefined);
        if (problem.value !== undefined) return;
        const { id } = await store(keyFor, { scheduled_at: instantOf({ day, time }, zone) });
        done(id, `Scheduled for ${shortDay(day)}, ${time}.`);
      }),

    /** Asks for confirmation before something becomes public. */
    ask(): void {
      problem.value = lacks();
      isAsking.value = problem.value === undefined;
    },
    dismiss: () => void (isAsking.value = false),
    publish: () =>
      act(async (keyFor) => {
        const input = { ...content(), publish_now: true };
        const isNew = post.value === undefined;
        const post_id = isNew ? '' : (await store(keyFor, {})).id;
        const out = isNew
          ? await call('create_post', input, keyFor(input))
          : await call('publish_post', { post_id }, keyFor(['publish', post_id]));
        done(out.id, out.status === 'published' ? 'Published.' : 'Sent; the outcome appears here.');
      }),

    /** Stores the post without sending it; a scheduled post keeps its time. */
    keep: () =>
      act(async (keyFor) => {
        problem.value = isEmpty.value ? 'Write something first.' : undefined;
        if (problem.value !== undefined) return;
        const isNew = post.value === undefined;
        const fresh = await store(keyFor, {});
        if (isNew) stored(fresh);
        settle(fresh.status === 'draft' ? 'Draft kept.' : 'Changes kept.');
      }),
    unschedule: () =>
      act(async (keyFor) => {
        await store(keyFor, { scheduled_at: null });
        settle('It is a draft again.');
      }),
  };
}
