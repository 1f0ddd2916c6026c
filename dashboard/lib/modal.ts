import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Opens a dialog when it is rendered. It closes before it is removed and returns the focus and the cursor. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null);
  // A plain effect would be cleaned up only after the dialog has been removed.
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

/** A field that gets the focus back while the dialog still covers it has no cursor, and typed text would be lost. */
function rememberCaret(field: Element | null): () => void {
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return () => {};
  const { selectionStart: start, selectionEnd: end } = field;
  return () => {
    if (start !== null && document.activeElement === field) field.setSelectionRange(start, end);
  };
}
