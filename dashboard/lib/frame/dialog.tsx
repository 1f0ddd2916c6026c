import type { ComponentChildren, JSX } from 'preact';
import { useModal } from '../modal.ts';

type DialogProps = Readonly<{ title: string; onClose(): void; children: ComponentChildren }>;

/** A modal dialog. The focus returns to where it was opened. */
export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  return (
    <dialog ref={useModal()} aria-labelledby="dialog-title" onClose={onClose}>
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}
