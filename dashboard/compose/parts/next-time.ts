import type { Say } from '../../lib/acting.ts';
import { RefusedError, type Call } from '../../lib/call.ts';
import { shortDay } from '../../lib/days.ts';
import type { Draft } from '../draft.ts';
import type { State } from './state.ts';

type NextTimeDeps = Readonly<{ call: Call; state: State; write(part: Partial<Draft>): void; say: Say }>;

/** Fills in the next posting time at which the chosen accounts have no post; done again, the one after it. */
export function makeNextTime({ call, state: { draft, targets, problem, whenOf }, write, say }: NextTimeDeps) {
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
    say(`${shortDay(day)}, ${time} is free.`, { undo: () => write({ when }) });
    return undefined;
  }

  return {
    async useNextTime(): Promise<void> {
      problem.value = await find().catch((error) =>
        error instanceof RefusedError ? error.message : 'The server could not be reached. Try again.',
      );
    },
  };
}
