import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { How, Say } from './acting.ts';
import { Icon } from './parts.tsx';

type Toast = How & Readonly<{ id: number; text: string }>;

/** Longer than it takes to read and to reach the button. */
const STAY_MS = 12_000;
const toasts = signal<readonly Toast[]>([]);
let made = 0;

const close = (id: number) => void (toasts.value = toasts.value.filter((toast) => toast.id !== id));

/** Shows a message, with an undo button if possible; what failed stays until the next message. */
export const say: Say = (text, how = {}) => {
  const id = ++made;
  toasts.value = [...toasts.value.filter(({ isBad }) => !isBad), { ...how, id, text }].slice(-3);
  if (!how.isBad) setTimeout(() => close(id), STAY_MS);
};

const LATER = 'rostra-to-say';

/** Shows a message on the next page. */
export function sayNext(text: string, link?: How['link']): void {
  sessionStorage.setItem(LATER, JSON.stringify({ text, link }));
}

/** Shows the message that the previous page left. */
export function sayWaiting(): void {
  const waiting = sessionStorage.getItem(LATER);
  if (waiting === null) return;
  sessionStorage.removeItem(LATER);
  const { text, link } = JSON.parse(waiting) as { text: string; link?: How['link'] };
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
      {toasts.value.map(({ id, text, isBad, undo, link, refused }) => (
        <div class="toast" key={id}>
          <span>
            {isBad && <Icon name="failed" label="Failed:" />} {text}
            {refused !== undefined && (
              <small>
                Code <code>{refused.code}</code>, request <code>{refused.requestId}</code>
              </small>
            )}
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
