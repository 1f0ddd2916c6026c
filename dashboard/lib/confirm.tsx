import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import { Dialog } from './shell.tsx';

type ConfirmProps = Readonly<{
  title: string;
  /** The button that does it, and the one that does not. */
  yes: string;
  no?: string;
  /** Nothing is lost by it, so that Enter does it. */
  isSafe?: boolean;
  /** While something else is carried out, the question waits. */
  isBusy?: boolean;
  onYes(): unknown;
  onNo(): void;
  children: ComponentChildren;
}>;

/** A question before something that cannot be taken back; where something is lost by it, the focus is on the way out. */
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
