import { signal } from '@preact/signals';
import { textsIn } from '#kernel/text/pointers.ts';
import type { Action } from '../lib/operations.ts';

/** Texts that a person has changed, by their JSON pointers. */
export type Edits = Readonly<Record<string, string>>;

/** Storage for edits, so that none is lost when the page is reloaded. */
export type Kept = Readonly<{ read(id: string): Edits; write(id: string, edits: Edits): void }>;

/** The edits that a person makes to pending actions, by the id of the action. */
export function makeEdits(kept: Kept) {
  const edits = signal<ReadonlyMap<string, Edits>>(new Map());
  const of = (id: string): Edits => edits.value.get(id) ?? kept.read(id);

  function write(id: string, next: Edits): void {
    edits.value = new Map([...edits.value, [id, next]]);
    kept.write(id, next);
  }

  return {
    /** The texts that differ from the requested ones. */
    changesOf({ id, input }: Action): Edits {
      const written = of(id);
      const changed = textsIn(input).flatMap(([pointer, text]) => {
        const now = written[pointer];
        return now === undefined || now === text ? [] : [[pointer, now] as const];
      });
      return Object.fromEntries(changed);
    },
    /** A text as it would be sent now. */
    textOf: (id: string, pointer: string, asked: string): string => of(id)[pointer] ?? asked,
    edit: (id: string, pointer: string, text: string): void => write(id, { ...of(id), [pointer]: text }),
    /** Restores the requested texts. */
    undoEdits: (id: string): void => write(id, {}),
  };
}
