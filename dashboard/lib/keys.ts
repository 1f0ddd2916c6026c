import type { Operation } from './frame/may.ts';

/** A key, or a pair that begins with g, and its action; `needs` is the operation without which it does nothing. */
export type Shortcut = Readonly<{ keys: string; does: string; needs?: Operation; run(): void }>;

/** The shortcuts that do something for a person who may call these operations. */
export const usable = (shortcuts: readonly Shortcut[], may: (name: Operation) => boolean): readonly Shortcut[] =>
  shortcuts.filter(({ needs }) => needs === undefined || may(needs));

/** How long the second key of a pair may take. */
const PAIR_MS = 1_500;

type KeyPress = Readonly<{ key: string; at: number }>;

/** Finds the shortcut for a sequence of keys. */
export function makeShortcuts(shortcuts: readonly Shortcut[]) {
  let lead: KeyPress | undefined;
  return (press: KeyPress): Shortcut | undefined => {
    const isPair = lead !== undefined && press.at - lead.at <= PAIR_MS;
    const keys = isPair ? `${lead!.key} ${press.key}` : press.key;
    lead = !isPair && press.key === 'g' ? press : undefined;
    return shortcuts.find((shortcut) => shortcut.keys === keys);
  };
}

/** The modifier key of this system, as its keyboards label it. */
export const MODIFIER = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl';

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox])'));

const OFF = 'rostra-keys-off';

/** Whether single keys are on. People who use speech input or have a tremor may want them off. */
export const areKeysOn = (): boolean => localStorage.getItem(OFF) === null;

/** Turns single keys on or off in this browser. */
export function turnKeys(on: boolean): void {
  if (on) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, 'yes');
}

/** Runs shortcuts, except in fields and dialogs or if they are turned off. */
export function listenToKeys(shortcuts: readonly Shortcut[]): void {
  const find = makeShortcuts(shortcuts);
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (!areKeysOn() || document.querySelector('dialog[open]') !== null) return;
    const found = find({ key: event.key, at: event.timeStamp });
    if (found === undefined) return;
    event.preventDefault();
    found.run();
  });
}
