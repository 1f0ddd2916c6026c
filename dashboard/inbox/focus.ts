import { focusDrawn } from '../lib/focus.ts';
import { isNarrow } from './inbox.ts';

/** Focuses the open item so that single keys work: its row, or its heading if the list is hidden. */
export function focusOpen(): void {
  const place = isNarrow.peek() ? '.thread h2' : '.item[aria-current]';
  focusDrawn(() => document.querySelector<HTMLElement>(place), { preventScroll: true });
}
