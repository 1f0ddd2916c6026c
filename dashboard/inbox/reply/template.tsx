import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { say } from '../../lib/toasts.tsx';
import type { Item } from '../list/items.ts';
import type * as Dialog from './template-dialog.tsx';

/** The dialog is loaded when somebody opens it: few conversations need it, and it would be part of every inbox. */
const dialog = signal<typeof Dialog | undefined>(undefined);

/** Opens the approved templates of the account that the conversation belongs to. */
export async function chooseTemplate(item: Item): Promise<void> {
  try {
    dialog.value = await import('./template-dialog.tsx');
    void dialog.value.open(item);
  } catch {
    say('The templates could not be loaded. Try again, or load the page again.', { isBad: true });
  }
}

/** The dialog to choose an approved template, once it was opened. */
export function TemplateDialog({ item }: Readonly<{ item: Item }>): JSX.Element | null {
  const Loaded = dialog.value?.TemplateDialog;
  return Loaded === undefined ? null : <Loaded item={item} />;
}
