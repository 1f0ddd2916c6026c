import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Opens a dialog when it is drawn; closed before it is taken away, it gives back the focus and the caret. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null);
  // A plain effect would be cleaned up only after the dialog is gone.
  useLayoutEffect(() => {
    const dialog = ref.current!;
    const giveBackCaret = rememberCaret(document.activeElement);
    dialog.showModal();
    return () => {
      dialog.close();
      giveBackCaret();
    };
  }, []);
  return ref;
}

/** A field that gets the focus while the dialog is still drawn over it has no caret: what is typed would be lost. */
function rememberCaret(field: Element | null): () => void {
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return () => {};
  const { selectionStart: start, selectionEnd: end } = field;
  return () => {
    if (start !== null && document.activeElement === field) field.setSelectionRange(start, end);
  };
}
