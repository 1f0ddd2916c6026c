import { computed, signal } from '@preact/signals';
import type { How, Say } from '../acting.ts';

type Toast = How & Readonly<{ id: number; text: string }>;

/** The messages on the screen, each with its own undo. `later` runs once a message has had time to be read. */
export function makeToasting(later: (run: () => void) => void) {
  const toasts = signal<readonly Toast[]>([]);
  let made = 0;

  const close = (id: number) => void (toasts.value = toasts.value.filter((toast) => toast.id !== id));
  const last = computed(() => toasts.value.findLast(({ undo }) => undo !== undefined));

  const say: Say = (text, how = {}) => {
    const id = ++made;
    toasts.value = [...toasts.value.filter(({ isBad }) => !isBad), { ...how, id, text }].slice(-3);
    if (!how.isBad) later(() => close(id));
  };

  function undo(toast: Toast | undefined): void {
    if (toast === undefined) return;
    close(toast.id);
    toast.undo?.();
  }

  return {
    toasts: computed(() => toasts.value),
    /** The latest message with an undo. */
    last,
    say,
    close,
    undo,
    undoLast: () => undo(last.value),
  };
}
