import { computed, signal } from '@preact/signals';

/** A question before something that cannot be undone. */
export type Question = Readonly<{
  title: string;
  text: string;
  /** The label of the button that confirms. */
  yes: string;
  /** Set while another action runs; confirming then does nothing. */
  isBusy?: boolean;
  run(): unknown;
}>;

/** The open question. It is a function, so that it says what is true now; it closes when there is nothing to ask. */
export function makeAsking() {
  const asked = signal<(() => Question | undefined) | undefined>(undefined);
  const question = computed(() => asked.value?.());
  const close = () => void (asked.value = undefined);
  return {
    question,
    ask: (about: () => Question | undefined): void => void (asked.value = about),
    close,
    confirm(): void {
      const now = question.value;
      if (now === undefined || now.isBusy === true) return;
      close();
      void now.run();
    },
  };
}
