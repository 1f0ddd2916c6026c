import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { ComponentChildren, JSX, TargetedKeyboardEvent } from 'preact';
import { useModal } from '../modal.ts';

type ChooserProps<T> = Readonly<{
  /** The label of the list, and of its search field. */
  title: string;
  prompt: string;
  find(typed: string): readonly T[];
  nameOf(one: T): string;
  draw(one: T): ComponentChildren;
  onChosen(one: T): void;
  onClose(): void;
  /** Shown in place of an empty list. */
  none: ComponentChildren;
  /** A note below the list. */
  note?: ComponentChildren;
}>;

const IN_COMPOSITION = 229;
const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
]);

/** A list with a search field. The arrow keys select an entry. */
export function Chooser<T>(props: ChooserProps<T>): JSX.Element {
  const { title, prompt, find, nameOf, draw, onChosen, onClose, none, note } = props;
  const id = useId();
  const typed = useSignal('');
  const at = useSignal(0);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.children[at.value]?.scrollIntoView({ block: 'nearest' }));
  const found = find(typed.value);

  function onKey(event: TargetedKeyboardEvent<HTMLInputElement>): void {
    // An input method uses these keys to choose words. Safari reports that only by the key code.
    // oxlint-disable-next-line typescript/no-deprecated -- nothing else tells it
    if (event.isComposing || event.keyCode === IN_COMPOSITION) return;
    const step = STEPS.get(event.key);
    const chosen = found[at.value];
    if (step !== undefined) at.value = Math.max(0, Math.min(found.length - 1, at.value + step));
    else if (event.key !== 'Enter') return;
    else if (chosen !== undefined) onChosen(chosen);
    event.preventDefault();
  }

  return (
    <dialog ref={useModal()} class="palette" aria-label={title} onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label={prompt}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${at.value}`}
        placeholder={prompt}
        value={typed.value}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKey}
      />
      <div role="listbox" id={id} aria-label={title} ref={list}>
        {found.map((one, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field above has the keys of the list
          <div
            key={nameOf(one)}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at.value}
            onClick={() => onChosen(one)}
          >
            {draw(one)}
          </div>
        ))}
      </div>
      {found.length === 0 && none}
      {note}
    </dialog>
  );
}
