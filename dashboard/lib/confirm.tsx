import type { ComponentChildren, JSX } from 'preact';
import { Dialog } from './shell.tsx';

type ConfirmProps = Readonly<{
  title: string;
  /** The button that does it, and the one that does not. */
  yes: string;
  no?: string;
  /** While something else is carried out, the question waits. */
  isBusy?: boolean;
  onYes(): unknown;
  onNo(): void;
  children: ComponentChildren;
}>;

/** A question before something that cannot be taken back. */
export function Confirm({
  title,
  yes,
  no = 'Cancel',
  isBusy = false,
  onYes,
  onNo,
  children,
}: ConfirmProps): JSX.Element {
  return (
    <Dialog title={title} onClose={onNo}>
      {children}
      <div class="actions">
        <button type="button" class="primary" aria-disabled={isBusy} onClick={() => void (!isBusy && onYes())}>
          {yes}
        </button>
        <button type="button" onClick={onNo}>
          {no}
        </button>
      </div>
    </Dialog>
  );
}
