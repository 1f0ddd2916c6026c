import { keep, readKept } from '../lib/frame/kept.ts';
import { may } from '../lib/frame/may.ts';
import { signal } from '@preact/signals';
import { pressKey } from '../lib/call.ts';
import { makeSettling } from '../lib/debounce.ts';
import type { Action, Answer, NamedAccount } from '../lib/operations.ts';
import { firstAnswer } from '../lib/page.ts';
import { call } from '../lib/shell.tsx';
import { say } from '../lib/toasts.tsx';
import type { Edits } from './edits.ts';
import { makeAssistants } from './model.ts';

const KEPT = 'rostra-edits ';

function writeEdits(id: string, edits: Edits): void {
  if (Object.keys(edits).length === 0) localStorage.removeItem(KEPT + id);
  else keep(localStorage, KEPT + id, edits);
}

export const assistants = makeAssistants({
  call,
  mayDecide: may('approve_action'),
  seesAll: may('list_audit'),
  connections: firstAnswer<Answer<'list_connections'>>('list_connections').data,
  held: firstAnswer<readonly Action[]>('held'),
  recent: firstAnswer<readonly Action[]>('recent'),
  accounts: firstAnswer<readonly Omit<NamedAccount, 'brand_id'>[]>('accounts'),
  kept: { read: (id) => readKept<Edits>(localStorage, KEPT + id) ?? {}, write: writeEdits },
  newKey: pressKey,
  later: makeSettling(),
  say,
});

/** The actions that a dialog asks about: to deny them, or to approve several at once. */
export const denying = signal<readonly Action[]>([]);
export const approving = signal<readonly Action[]>([]);

const { queue } = assistants;

/** The actions to which a key or button applies: the ticked ones, or else the open one. */
function meant(): readonly Action[] {
  const ticked = queue.chosenOnes.value;
  const open = queue.find(queue.current.value);
  if (ticked.length > 0) return ticked;
  return open?.state === 'held' ? [open] : [];
}

/** Approves the open action directly; for ticked ones, asks first. */
export function approveMeant(): void {
  const actions = meant();
  const isOpen = actions.length === 1 && actions[0]!.id === queue.current.value;
  if (isOpen) void queue.approve(actions);
  else approving.value = actions;
}

export function denyMeant(): void {
  denying.value = meant();
}

/** Opens the next or previous action and moves the focus to it. */
export function go(by: 1 | -1): void {
  const id = queue.step(by);
  if (id === undefined) return;
  const row = document.getElementById(id)!;
  row.focus();
  row.scrollIntoView({ block: 'nearest' });
}

export const editOpen = (): void => document.querySelector<HTMLElement>('.held[aria-current] textarea')?.focus();
