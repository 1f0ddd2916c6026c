import { AsyncLocalStorage } from 'node:async_hooks';

/** Thrown where a rehearsal comes to its first effect, which is undone or not begun. */
class FirstEffect extends Error {
  override name = 'FirstEffect';
}

const current = new AsyncLocalStorage<true>();

/** Does work up to its first effect, and no further; throws what the work refuses before that. */
export async function rehearse(work: () => Promise<unknown>): Promise<void> {
  try {
    await current.run(true, work);
  } catch (error) {
    if (!(error instanceof FirstEffect)) throw error;
  }
}

export function isRehearsal(): boolean {
  return current.getStore() === true;
}

/** Comes before whatever changes something for good: a rehearsal ends here. */
export function endRehearsal(): void {
  if (isRehearsal()) throw new FirstEffect('a rehearsal ends where something would change');
}
