import { computed, signal } from '@preact/signals';

type ActsDeps = Readonly<{ begun(): void; failed(error: unknown): Promise<void> | void }>;

/** Runs one action at a time. */
export function makeActs({ begun, failed }: ActsDeps) {
  const isBusy = signal(false);
  return {
    isBusy: computed(() => isBusy.value),
    async act(run: () => Promise<void>): Promise<void> {
      if (isBusy.value) return;
      isBusy.value = true;
      begun();
      try {
        await run();
      } catch (error) {
        await failed(error);
      } finally {
        isBusy.value = false;
      }
    },
  };
}
