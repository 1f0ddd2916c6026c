import { signal } from '@preact/signals';
import { textsIn } from '#kernel/text/pointers.ts';
import type { Action } from '../lib/operations.ts';

/** Texts that a person wrote instead, by their pointers. */
export type Edits = Readonly<Record<string, string>>;

/** Where edits are kept, so that a reload loses none. */
export type Kept = Readonly<{ read(id: string): Edits; write(id: string, edits: Edits): void }>;

/** What a person changes of what was asked for, by the id of the action. */
export function makeEdits(kept: Kept) {
  const edits = signal<ReadonlyMap<string, Edits>>(new Map());
  const of = (id: string): Edits => edits.value.get(id) ?? kept.read(id);

  function write(id: string, next: Edits): void {
    edits.value = new Map([...edits.value, [id, next]]);
    kept.write(id, next);
  }

  return {
    /** The texts that are not as they were asked for. */
    changesOf({ id, input }: Action): Edits {
      const written = of(id);
      const changed = textsIn(input).flatMap(([pointer, text]) => {
        const now = written[pointer];
        return now === undefined || now === text ? [] : [[pointer, now] as const];
      });
      return Object.fromEntries(changed);
    },
    /** A text as it would be sent. */
    textOf: (id: string, pointer: string, asked: string): string => of(id)[pointer] ?? asked,
    edit: (id: string, pointer: string, text: string): void => write(id, { ...of(id), [pointer]: text }),
    /** Takes the texts that were asked for. */
    undoEdits: (id: string): void => write(id, {}),
  };
}
