import type { JSX } from 'preact';
import type { How, Say } from './acting.ts';
import { makeToasting } from './frame/toasting.ts';
import { Icon } from './parts.tsx';

/** Long enough to read a message and reach its button. */
const STAY_MS = 12_000;
const toasting = makeToasting((run) => void setTimeout(run, STAY_MS));
const { toasts, last, close, undo } = toasting;

/** Shows a message, with an undo button if possible. Errors stay until the next message. */
export const say: Say = toasting.say;
/** Undoes the last action that can be undone. */
export const { undoLast } = toasting;

const LATER = 'rostra-to-say';

/** Shows a message on the next page. */
export function sayNext(text: string, link?: How['link']): void {
  sessionStorage.setItem(LATER, JSON.stringify({ text, link }));
}

/** Shows the message that the previous page has left. */
export function sayWaiting(): void {
  const waiting = sessionStorage.getItem(LATER);
  if (waiting === null) return;
  sessionStorage.removeItem(LATER);
  const { text, link } = JSON.parse(waiting) as { text: string; link?: How['link'] };
  say(text, { link });
}

export function Toasts(): JSX.Element {
  return (
    <>
      {toasts.value.map((toast) => {
        const { id, text, isBad, link, refused } = toast;
        return (
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
            {toast.undo !== undefined && (
              <button type="button" onClick={() => undo(toast)}>
                Undo {toast === last.value && <kbd>Z</kbd>}
              </button>
            )}
            <button type="button" class="square" aria-label="Dismiss" onClick={() => close(id)}>
              <Icon name="close" />
            </button>
          </div>
        );
      })}
    </>
  );
}
