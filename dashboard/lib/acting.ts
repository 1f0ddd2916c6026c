import { computed, signal } from '@preact/signals';

export type Say = (text: string, how?: Readonly<{ isBad: boolean }>) => void;
type ActingDeps = Readonly<{ newKey(): string; say: Say }>;

/** Does one thing at a time, with the key of the press; what it answers is said, and why it was refused. */
export function makeActing({ newKey, say }: ActingDeps) {
  const isBusy = signal(false);
  return {
    isBusy: computed(() => isBusy.value),

    /** Whether it was done. */
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
