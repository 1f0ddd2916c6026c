import { computed, signal } from '@preact/signals';
import { RefusedError } from '../../lib/call.ts';

/** Returns the key of a request: the same for a repeat whose answer was lost. */
export type KeyFor = (request: unknown) => string;

type ActsDeps = Readonly<{ newKey(): string; begun(): void; failed(error: unknown): Promise<void> | void }>;

/** Does one thing at a time. */
export function makeActs({ newKey, begun, failed }: ActsDeps) {
  const isBusy = signal(false);
  let unanswered: Readonly<{ sign: string; key: string }> | undefined;

  const keyFor: KeyFor = (request) => {
    const sign = JSON.stringify(request);
    if (unanswered?.sign !== sign) unanswered = { sign, key: newKey() };
    return unanswered.key;
  };

  return {
    isBusy: computed(() => isBusy.value),
    async act(run: (keyFor: KeyFor) => Promise<void>): Promise<void> {
      if (isBusy.value) return;
      isBusy.value = true;
      begun();
      try {
        await run(keyFor);
        unanswered = undefined;
      } catch (error) {
        if (error instanceof RefusedError) unanswered = undefined;
        await failed(error);
      } finally {
        isBusy.value = false;
      }
    },
  };
}
