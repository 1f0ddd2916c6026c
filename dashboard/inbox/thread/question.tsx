import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { Confirm } from '../../lib/confirm.tsx';

/** A confirmation before something that cannot be undone. */
type Question = Readonly<{ title: string; text: string; yes: string; run(): Promise<void> }>;
const question = signal<Question | undefined>(undefined);

/** Asks for confirmation before something that cannot be undone. */
export const ask = (asked: Question): void => void (question.value = asked);

export function Asked(): JSX.Element | null {
  if (question.value === undefined) return null;
  const { title, text, yes, run } = question.value;
  const close = () => void (question.value = undefined);
  function yesTo(): void {
    close();
    void run();
  }
  return (
    <Confirm title={title} yes={yes} onYes={yesTo} onNo={close}>
      <p>{text}</p>
    </Confirm>
  );
}
