import { AsyncLocalStorage } from 'node:async_hooks';

/** Thrown where a rehearsal reaches its first effect, which does not happen or is rolled back. */
class FirstEffect extends Error {
  override name = 'FirstEffect';
}

/** `isForPerson`: a person will approve the work and must see exactly what it will do. */
type Rehearsal = Readonly<{ isForPerson: boolean }>;

const current = new AsyncLocalStorage<Rehearsal>();

/** Runs work up to its first effect, which does not happen; throws any refusal before that. */
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

/** Whether the work is rehearsed for a person's approval, so that it must later do what the person saw. */
export function isRehearsedForPerson(): boolean {
  return current.getStore()?.isForPerson === true;
}

/** Must be called before every permanent change; it ends a rehearsal. */
export function endRehearsal(): void {
  if (isRehearsal()) throw new FirstEffect('a rehearsal ends where something would change');
}
