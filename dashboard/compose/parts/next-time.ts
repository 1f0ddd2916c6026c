import { batch, computed, signal, type ReadonlySignal } from '@preact/signals';
import { RefusedError, type Call } from '../../lib/call.ts';
import { shortDay } from '../../lib/days.ts';
import { isSame, type Draft } from '../draft.ts';
import type { State } from './state.ts';

type NextTimeDeps = Readonly<{
  call: Call;
  state: State;
  /** Whether the post is being stored or sent. */
  isBusy: ReadonlySignal<boolean>;
  write(part: Partial<Draft>): void;
}>;

/** Fills in the next posting time at which the chosen accounts have no post; done again, the one after it. */
export function makeNextTime({ call, state, isBusy, write }: NextTimeDeps) {
  const { draft, targets, problem, whenOf } = state;
  const found = signal('');
  let last: Readonly<{ at: string; account_ids: readonly string[] }> | undefined;
  let isLooking = false;

  /** The accounts that the common time is for; if all have a time of their own, all of them. */
  function accountIds(): readonly string[] {
    const { own } = draft.value;
    const untimed = targets.value.filter(({ id }) => !own[id]?.scheduled_at);
    const those = untimed.length > 0 ? untimed : targets.value;
    return [...new Set(those.map(({ accountId }) => accountId))].toSorted();
  }

  async function find(): Promise<string | undefined> {
    const account_ids = [...accountIds()];
    if (account_ids.length === 0) return 'Choose an account first.';
    const { when } = draft.value;
    // A time that was found for other accounts is no place to go on from.
    const before = isSame(last?.account_ids, account_ids) ? last?.at : undefined;
    const after = before !== undefined && whenOf(before) === when ? before : undefined;
    const { times } = await call('list_free_times', { account_ids, after });
    // What was done during the request takes precedence.
    if (draft.value.when !== when || isBusy.value) return undefined;
    if (!isSame(accountIds(), account_ids)) return 'The accounts have changed. Press "Next free time" again.';
    const at = times[0]?.scheduled_at;
    last = at === undefined ? undefined : { at, account_ids };
    if (at === undefined) return 'No posting time is free within a year. Choose another time.';
    fill(whenOf(at));
    return undefined;
  }

  function fill(when: string): void {
    const [day = '', time] = when.split('T');
    batch(() => {
      // Another button may have shown it during the request.
      const shown = problem.value;
      write({ when });
      problem.value = shown;
    });
    found.value = `${shortDay(day)}, ${time} is free.`;
  }

  return {
    /** The time that was filled in, for those who do not see the field. */
    found: computed(() => found.value),
    async useNextTime(): Promise<void> {
      if (isLooking) return;
      isLooking = true;
      problem.value = undefined;
      const words = await find().catch((error) =>
        error instanceof RefusedError ? error.message : 'The server could not be reached. Try again.',
      );
      isLooking = false;
      problem.value ??= words;
    },
  };
}
