import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import { Dialog } from './shell.tsx';

type ConfirmProps = Readonly<{
  title: string;
  /** The button that does it, and the one that does not. */
  yes: string;
  no?: string;
  /** Nothing is lost by it, so Enter confirms. */
  isSafe?: boolean;
  /** While something else is carried out, the question waits. */
  isBusy?: boolean;
  onYes(): unknown;
  onNo(): void;
  children: ComponentChildren;
}>;

/** A question before something is done. Unless it is safe, the focus is on the button that does not do it. */
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
