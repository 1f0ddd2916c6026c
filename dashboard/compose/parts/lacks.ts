import type { ReadonlySignal } from '@preact/signals';
import type { Issue } from '../rules.ts';
import type { State } from './state.ts';

/** A file that is not part of the post yet; `problem` is why its upload failed. */
export type Unsent = Readonly<{ name: string; problem?: string | undefined }>;

type LacksDeps = Readonly<{
  state: State;
  faults: ReadonlySignal<readonly Issue[]>;
  unsent(): readonly Unsent[];
}>;

/** What is missing before a post can be stored or sent; undefined if nothing is. */
export function makeLacks({ state, faults, unsent }: LacksDeps) {
  const { draft, targets, isEmpty } = state;

  /** Names a file that would be left out. */
  function file(): string | undefined {
    const found = unsent().find((one) => one.problem !== undefined) ?? unsent()[0];
    if (found === undefined) return undefined;
    return found.problem === undefined
      ? `${found.name} is still on its way: wait for it, or cancel it.`
      : `${found.name} was not sent: try it again, or remove it.`;
  }

  function toSend(): string | undefined {
    if (targets.value.length === 0) return 'Choose where to post first.';
    if (isEmpty.value && unsent().length === 0) return 'Write something first.';
    return file() ?? (faults.value.length > 0 ? 'First fix what is listed above.' : undefined);
  }

  return {
    file,
    toSend,
    toSchedule: () => toSend() ?? (draft.value.when === '' ? 'First choose when it goes out.' : undefined),
    toKeep: () => file() ?? (isEmpty.value ? 'Write something first.' : undefined),
  };
}
