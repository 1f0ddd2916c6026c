import { focusDrawn } from '../lib/focus.ts';
import { isNarrow } from './inbox.ts';

/** Puts the focus on what is open, where single keys do something: its row, or its heading where the list has gone. */
export function focusOpen(): void {
  const place = isNarrow.peek() ? '.thread h2' : '.item[aria-current]';
  focusDrawn(() => document.querySelector<HTMLElement>(place), { preventScroll: true });
}
