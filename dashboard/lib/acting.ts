import { computed, signal } from '@preact/signals';

export type Say = (text: string, how?: Readonly<{ isBad: boolean }>) => void;
type ActingDeps = Readonly<{ newKey(): string; say: Say }>;

/** Runs one action at a time, with a key per press; shows its result or refusal. */
export function makeActing({ newKey, say }: ActingDeps) {
  const isBusy = signal(false);
  return {
    isBusy: computed(() => isBusy.value),

    /** True if it succeeded. */
    async act(run: (key: string) => Promise<string>): Promise<boolean> {
      if (isBusy.value) return false;
      isBusy.value = true;
      try {
        say(await run(newKey()));
        return true;
      } catch (error) {
        say((error as Error).message, { isBad: true });
        return false;
      } finally {
        isBusy.value = false;
      }
    },
  };
}
