import { computed, signal } from '@preact/signals';
import { RefusedError, type Call } from '../../lib/call.ts';
import { shortDay } from '../../lib/days.ts';
import type { Draft } from '../draft.ts';
import type { State } from './state.ts';

type NextTimeDeps = Readonly<{ call: Call; state: State; write(part: Partial<Draft>): void }>;

/** Fills in the next posting time at which the chosen accounts have no post; done again, the one after it. */
export function makeNextTime({ call, state: { draft, targets, problem, whenOf }, write }: NextTimeDeps) {
  const found = signal('');
  let last: string | undefined;

  async function find(): Promise<string | undefined> {
    const account_ids = [...new Set(targets.value.map(({ accountId }) => accountId))];
    if (account_ids.length === 0) return 'Choose an account first.';
    const { when } = draft.value;
    const after = last !== undefined && whenOf(last) === when ? last : undefined;
    const { times } = await call('list_free_times', { account_ids, after });
    last = times[0]?.scheduled_at;
    if (last === undefined) return 'No posting time is free within a year. Choose another time.';
    const next = whenOf(last);
    const [day = '', time] = next.split('T');
    write({ when: next });
    found.value = `${shortDay(day)}, ${time} is free.`;
    return undefined;
  }

  return {
    /** The time that was filled in, for those who do not see the field. */
    found: computed(() => found.value),
    async useNextTime(): Promise<void> {
      problem.value = await find().catch((error) =>
        error instanceof RefusedError ? error.message : 'The server could not be reached. Try again.',
      );
    },
  };
}
