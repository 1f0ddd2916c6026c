import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { RefusedError } from '../../lib/call.ts';
import { shortDay } from '../../lib/days.ts';
import { makeActs } from './acts.ts';
import { makeLacks, type Unsent } from './lacks.ts';
import { untimed } from '../draft.ts';
import type { Issue } from '../rules.ts';
import { instantAt } from './owning.ts';
import { isEditable, type State } from './state.ts';
import { makeStoring, type StoringDeps } from './storing.ts';

export type SendingDeps = StoringDeps &
  Readonly<{
    zone: string;
    unsent(): readonly Unsent[];
  }>;

type Draft = Readonly<{ faults: ReadonlySignal<readonly Issue[]>; keepNow(): void }>;

const TOO_OLD =
  'The last button pressed here got no answer, over a day ago. Check under Posts whether it was done before you press it again.';

const DELETED = 'The post was deleted elsewhere. What you wrote is still here: press again to store it as a new post.';

/** The actions of the buttons and keys. */
export function makeSending(deps: SendingDeps, state: State, { faults, keepNow }: Draft) {
  const { call, zone, unsent } = deps;
  const { post, draft, clean, elsewhere, problem, whenOf } = state;
  const { content, once, keep, become, store, settle, done, sent } = makeStoring(deps, state, keepNow);
  const lacks = makeLacks({ state, faults, unsent });
  const isAsking = signal(false);
  const { isBusy, act } = makeActs({
    begun() {
      problem.value = undefined;
      isAsking.value = false;
    },
    failed: refused,
  });

  /** Shows a refusal next to the buttons and keeps the draft. */
  async function refused(thrown: unknown): Promise<void> {
    keep();
    if (!(thrown instanceof RefusedError)) {
      problem.value = 'The server could not be reached. What you wrote is saved here; try again.';
      return;
    }
    const { code, message, meta } = thrown;
    if (code === 'post.publish_failed') return done(String(meta['id']), 'Nothing was published: see why.');
    problem.value = message;
    if (code === 'post.not_found' && post.value !== undefined) {
      post.value = undefined;
      problem.value = DELETED;
      return;
    }
    if (code !== 'resource.conflict' || post.value === undefined || meta['field'] === 'Idempotency-Key') return;
    problem.value = 'Nothing was stored: the post was changed elsewhere. See above.';
    elsewhere.value = await call('get_post', { post_id: post.value.id }).catch(() => undefined);
  }

  const can = computed(() => {
    const keeps = isEditable(post.value) && !isBusy.value;
    return { keep: keeps, send: keeps && post.value?.status !== 'failed' };
  });

  /** Settles a request with an unknown result first. Runs the action unless that request already sent the post. */
  function perform(isAllowed: boolean, lack: () => string | undefined, run: () => Promise<void>): Promise<void> {
    if (!isAllowed) return Promise.resolve();
    return act(async () => {
      if (once.forgetOld()) {
        problem.value = TOO_OLD;
        return;
      }
      const known = await once.repeat();
      if (known !== undefined) become(known);
      if (!isEditable(known)) return sent(known!);
      problem.value = lack();
      if (problem.value === undefined) await run();
    });
  }

  const schedule = () =>
    perform(can.value.send, lacks.toSchedule, async () => {
      const { id, scheduled_at } = await store(timingOf(state, zone));
      const [day = '', time] = whenOf(scheduled_at!).split('T');
      const words = `Scheduled for ${shortDay(day)}, ${time}.`;
      if (draft.value === clean.value) done(id, words);
      else settle(words);
    });

  return {
    isBusy,
    can,
    isAsking: computed(() => isAsking.value),
    schedule,

    /** Asks for confirmation before something becomes public. */
    ask(): void {
      if (!can.value.send) return;
      problem.value = lacks.toSend();
      isAsking.value = problem.value === undefined;
    },
    dismiss: () => void (isAsking.value = false),
    publish: () =>
      perform(can.value.send, lacks.toSend, async () => {
        if (post.value === undefined) return sent(await once.create({ ...untimed(content()), publish_now: true }));
        const { id } = await store({});
        sent(await once.publish(id));
      }),

    /** Stores the post without publishing it. A scheduled post stays scheduled, at the time in the draft. */
    keep(): Promise<void> {
      if (post.value?.status === 'scheduled') return schedule();
      return perform(can.value.keep, lacks.toKeep, async () => {
        const { status } = await store({});
        settle(status === 'draft' ? 'Draft kept.' : 'Changes kept.');
      });
    },
    unschedule: () =>
      perform(can.value.keep, lacks.file, async () => {
        await store({ scheduled_at: null });
        settle('It is a draft again.');
      }),
  };
}

/** An unchanged time is not sent: the form knows no seconds, nor which of two equal hours is meant. */
function timingOf({ draft, post, whenOf }: State, zone: string): Readonly<{ scheduled_at?: string }> {
  const { when } = draft.value;
  const at = post.value?.scheduled_at ?? undefined;
  if (at !== undefined && whenOf(at) === when) return {};
  return { scheduled_at: instantAt(when, zone) };
}
