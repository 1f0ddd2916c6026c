import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import { makeAsking } from './frame/asking.ts';
import { Dialog } from './frame/dialog.tsx';

type ConfirmProps = Readonly<{
  title: string;
  /** The labels of the button that confirms, and of the one that cancels. */
  yes: string;
  no?: string;
  /** Set if nothing would be lost, so that Enter may confirm. */
  isSafe?: boolean;
  /** Set while another action runs; confirming then does nothing. */
  isBusy?: boolean | undefined;
  onYes(): unknown;
  onNo(): void;
  children: ComponentChildren;
}>;

/** Asks for confirmation. Unless the action is safe, the button that cancels has the focus. */
export function Confirm({
  title,
  yes,
  no = 'Cancel',
  isSafe = false,
  isBusy = false,
  onYes,
  onNo,
  children,
}: ConfirmProps): JSX.Element {
  const harmless = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => (isSafe ? undefined : harmless.current!.focus()), []);
  return (
    <Dialog title={title} onClose={onNo}>
      {children}
      <div class="actions">
        <button type="button" class="primary" aria-disabled={isBusy} onClick={() => void (!isBusy && onYes())}>
          {yes}
        </button>
        <button type="button" ref={harmless} onClick={onNo}>
          {no}
        </button>
      </div>
    </Dialog>
  );
}

const { asked, question, ask, dismiss, confirm } = makeAsking();

/** Asks for confirmation before something that cannot be undone. */
export { ask };

/** The open question. */
export function Asked(): JSX.Element | null {
  if (question.value === undefined) return null;
  const { title, text, yes, isBusy } = question.value;
  const about = asked.value!;
  return (
    <Confirm key={about} title={title} yes={yes} isBusy={isBusy} onYes={confirm} onNo={() => dismiss(about)}>
      <p>{text}</p>
    </Confirm>
  );
}
