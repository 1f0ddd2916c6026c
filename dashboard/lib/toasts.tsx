import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { Icon } from './parts.tsx';

type Link = Readonly<{ href: string; title: string }>;
type How = Readonly<{ undo?: () => void; isBad?: boolean; link?: Link | undefined }>;
type Toast = Readonly<{
  id: number;
  text: string;
  isBad: boolean;
  undo?: (() => void) | undefined;
  link?: Link | undefined;
}>;

/** Longer than it takes to read and to reach the button. */
const STAY_MS = 12_000;
const toasts = signal<readonly Toast[]>([]);
let made = 0;

const close = (id: number) => void (toasts.value = toasts.value.filter((toast) => toast.id !== id));

/** Shows a message, with an undo button if possible. */
export function say(text: string, { undo, isBad = false, link }: How = {}): void {
  const id = ++made;
  toasts.value = [...toasts.value, { id, text, isBad, undo, link }].slice(-3);
  setTimeout(() => close(id), STAY_MS);
}

const LATER = 'rostra-to-say';

/** Shows a message on the next page. */
export function sayNext(text: string, link?: Link): void {
  sessionStorage.setItem(LATER, JSON.stringify({ text, link }));
}

/** Shows the message that the previous page left. */
export function sayWaiting(): void {
  const waiting = sessionStorage.getItem(LATER);
  if (waiting === null) return;
  sessionStorage.removeItem(LATER);
  const { text, link } = JSON.parse(waiting) as { text: string; link?: Link };
  say(text, { link });
}

/** Undoes the last undoable action. */
export function undoLast(): void {
  const last = toasts.value.findLast(({ undo }) => undo !== undefined);
  if (last === undefined) return;
  close(last.id);
  last.undo!();
}

export function Toasts(): JSX.Element {
  return (
    <>
      {toasts.value.map(({ id, text, isBad, undo, link }) => (
        <div class="toast" key={id}>
          <span>
            {isBad && <Icon name="failed" label="Failed:" />} {text}
          </span>
          {link !== undefined && <a href={link.href}>{link.title}</a>}
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
