import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { Chooser } from './frame/chooser.tsx';
import { fold, wordsIn } from './words.ts';

/** A page or action that can be found by its title. */
export type Command = Readonly<{ title: string; keys?: string; run(): void }>;

function matching(commands: readonly Command[], typed: string): readonly Command[] {
  const has = wordsIn(typed);
  return has === undefined ? commands : commands.filter(({ title }) => has(fold(title)));
}

/** The searchable list of all commands. */
export function makePalette(commands: readonly Command[]) {
  const isOpen = signal(false);
  const close = () => void (isOpen.value = false);

  const Palette = (): JSX.Element | null =>
    isOpen.value ? (
      <Chooser
        title="Commands"
        prompt="Where to, or what to do"
        find={(typed) => matching(commands, typed)}
        nameOf={({ title }) => title}
        draw={({ title, keys }) => (
          <>
            {title} {keys !== undefined && <kbd>{keys}</kbd>}
          </>
        )}
        onChosen={({ run }) => {
          close();
          run();
        }}
        onClose={close}
        none={<p class="quiet">Nothing has that name.</p>}
      />
    ) : null;

  return { open: () => void (isOpen.value = true), Palette };
}
