import { AsyncLocalStorage } from 'node:async_hooks';

/** Thrown where a rehearsal comes to its first effect, which is undone or not begun. */
class FirstEffect extends Error {
  override name = 'FirstEffect';
}

/** Whether it is for a person, who agrees to what there is now. */
type Rehearsal = Readonly<{ isForPerson: boolean }>;

const current = new AsyncLocalStorage<Rehearsal>();

/** Does work up to its first effect, and no further; throws what the work refuses before that. */
export async function rehearse(work: () => Promise<unknown>, isForPerson = false): Promise<void> {
  try {
    await current.run({ isForPerson }, work);
  } catch (error) {
    if (!(error instanceof FirstEffect)) throw error;
  }
}

export function isRehearsal(): boolean {
  return current.getStore() !== undefined;
}

/** Whether work is rehearsed that a person is asked about: what it does later has to be what they see now. */
export function isRehearsedForPerson(): boolean {
  return current.getStore()?.isForPerson === true;
}

/** Comes before whatever changes something for good: a rehearsal ends here. */
export function endRehearsal(): void {
  if (isRehearsal()) throw new FirstEffect('a rehearsal ends where something would change');
}
