import { computed, signal } from '@preact/signals';

/** A question before something that cannot be undone. */
type Question = Readonly<{
  title: string;
  text: string;
  /** The label of the button that confirms. */
  yes: string;
  /** Set while another action runs; confirming then does nothing. */
  isBusy?: boolean;
  run(): unknown;
}>;

/** A question as a function, so that it says what is true now. It closes when there is nothing to ask. */
type About = () => Question | undefined;

/** The open question. */
export function makeAsking() {
  const asked = signal<About | undefined>(undefined);
  const question = computed(() => asked.value?.());
  return {
    asked: computed(() => asked.value),
    question,
    ask: (about: About): void => void (asked.value = about),
    /** Closes a question, not a later one: a dialog may report only then that it was closed. */
    dismiss: (about: About): void => void (asked.value === about && (asked.value = undefined)),
    confirm(): void {
      const now = question.value;
      if (now === undefined || now.isBusy === true) return;
      asked.value = undefined;
      void now.run();
    },
  };
}
