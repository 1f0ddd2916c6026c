import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useModal } from './modal.ts';

/** A destination or action, found by its words. */
export type Command = Readonly<{ title: string; keys?: string; run(): void }>;

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
]);

/** The commands that contain every typed word. */
export function matching(commands: readonly Command[], typed: string): readonly Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
}

/** The searchable list of all commands. */
export function makePalette(commands: readonly Command[]) {
  const isOpen = signal(false);
  const typed = signal('');
  const at = signal(0);
  const found = computed(() => matching(commands, typed.value));

  function open(): void {
    typed.value = '';
    at.value = 0;
    isOpen.value = true;
  }

  function choose(command: Command | undefined): void {
    if (command === undefined) return;
    isOpen.value = false;
    command.run();
  }

  function onKey(event: TargetedKeyboardEvent<HTMLInputElement>): void {
    const step = STEPS.get(event.key);
    if (step !== undefined) at.value = Math.max(0, Math.min(found.value.length - 1, at.value + step));
    else if (event.key === 'Enter') choose(found.value[at.value]);
    else return;
    event.preventDefault();
  }

  function Palette(): JSX.Element | null {
    return isOpen.value ? <Opened /> : null;
  }

  function Opened(): JSX.Element {
    const list = useRef<HTMLDivElement>(null);
    useEffect(() => list.current?.children[at.value]?.scrollIntoView({ block: 'nearest' }));
    return (
      <dialog ref={useModal()} class="palette" aria-label="Commands" onClose={() => void (isOpen.value = false)}>
        <input
          type="text"
          role="combobox"
          aria-label="Where to, or what to do"
          aria-expanded="true"
          aria-controls="commands"
          aria-activedescendant={found.value.length === 0 ? undefined : `command-${at.value}`}
          placeholder="Where to, or what to do"
          value={typed.value}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
            at.value = 0;
          }}
          onKeyDown={onKey}
        />
        <div role="listbox" id="commands" aria-label="Commands" ref={list}>
          {found.value.map((command, index) => (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field above has the keys of the list
            <div
              key={command.title}
              id={`command-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at.value}
              onClick={() => choose(command)}
            >
              {command.title} {command.keys !== undefined && <kbd>{command.keys}</kbd>}
            </div>
          ))}
        </div>
        {found.value.length === 0 && <p class="quiet">Nothing is called that.</p>}
      </dialog>
    );
  }

  return { open, Palette };
}
