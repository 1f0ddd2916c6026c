import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { Dialog } from '../../lib/shell.tsx';

/** A question before something that cannot be taken back. */
type Question = Readonly<{ title: string; text: string; yes: string; run(): Promise<void> }>;
const question = signal<Question | undefined>(undefined);

/** Asks before something is done for good. */
export const ask = (asked: Question): void => void (question.value = asked);

/** The question that is asked, if there is one. */
export function Asked(): JSX.Element | null {
  if (question.value === undefined) return null;
  const { title, text, yes, run } = question.value;
  const close = () => void (question.value = undefined);
  return (
    <Dialog title={title} onClose={close}>
      <p>{text}</p>
      <div class="actions">
        <button
          type="button"
          class="primary"
          onClick={() => {
            close();
            void run();
          }}
        >
          {yes}
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
