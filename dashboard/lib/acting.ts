import { computed, signal } from '@preact/signals';
import { isFinal, RefusedError, type Call } from './call.ts';

/** How a message is shown. Errors stay until the next message. */
export type How = Readonly<{
  undo?: () => void;
  isBad?: boolean;
  link?: Readonly<{ href: string; title: string }> | undefined;
  refused?: RefusedError | undefined;
}>;
/** Shows a message. */
export type Say = (text: string, how?: How) => void;
type ActingDeps = Readonly<{
  call: Call;
  newKey(): string;
  say: Say;
  /** The message if no response came. */
  unanswered?: string;
}>;

const UNANSWERED = 'No answer came. Press again: nothing is done twice.';

/** Runs one action at a time and shows its result or refusal. */
export function makeActing({ call, newKey, say, unanswered = UNANSWERED }: ActingDeps) {
  const isBusy = signal(false);
  const keys = new Map<string, string>();

  /** Repeats of a request use the same key until it is settled, so that pressing again does nothing twice. */
  const callOnce: Call = async (name, input) => {
    const request = JSON.stringify([name, input]);
    const key = keys.get(request) ?? newKey();
    keys.set(request, key);
    try {
      const answer = await call(name, input, key);
      keys.delete(request);
      return answer;
    } catch (error) {
      if (isFinal(error)) keys.delete(request);
      throw error;
    }
  };

  return {
    isBusy: computed(() => isBusy.value),

    /** Returns true after success. `run` returns the message to show, if any. */
    async act(run: (callOnce: Call) => Promise<string | undefined>): Promise<boolean> {
      if (isBusy.value) return false;
      isBusy.value = true;
      try {
        const words = await run(callOnce);
        if (words !== undefined) say(words);
        return true;
      } catch (error) {
        const refused = error instanceof RefusedError ? error : undefined;
        say(refused?.message ?? unanswered, { isBad: true, refused });
        return false;
      } finally {
        isBusy.value = false;
      }
    },
  };
}
