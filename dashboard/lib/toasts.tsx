import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { Icon } from './parts.tsx';

type Toast = Readonly<{ id: number; text: string; isBad: boolean; undo?: (() => void) | undefined }>;

/** Longer than it takes to read and to reach the button. */
const STAY_MS = 12_000;
const toasts = signal<readonly Toast[]>([]);
let made = 0;

const close = (id: number) => void (toasts.value = toasts.value.filter((toast) => toast.id !== id));

/** Says what was done, with a way back where there is one. */
export function say(
  text: string,
  { undo, isBad = false }: Readonly<{ undo?: () => void; isBad?: boolean }> = {},
): void {
  const id = ++made;
  toasts.value = [...toasts.value, { id, text, isBad, undo }].slice(-3);
  setTimeout(() => close(id), STAY_MS);
}

/** Takes the last thing back that can be taken back. */
export function undoLast(): void {
  const last = toasts.value.findLast(({ undo }) => undo !== undefined);
  if (last === undefined) return;
  close(last.id);
  last.undo!();
}

/** What was said and has not gone yet. */
export function Toasts(): JSX.Element {
  return (
    <>
      {toasts.value.map(({ id, text, isBad, undo }) => (
        <div class="toast" key={id}>
          <span>
            {isBad && <Icon name="failed" label="Failed:" />} {text}
          </span>
          {undo !== undefined && (
            <button type="button" onClick={undoLast}>
              Undo <kbd>Z</kbd>
            </button>
          )}
          <button type="button" class="square" aria-label="Dismiss" onClick={() => close(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </>
  );
}
