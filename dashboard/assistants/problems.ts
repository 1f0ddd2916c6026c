import { computed, signal } from '@preact/signals';

const CHANGED = 'It has changed since it was shown here. Look at it again, then approve it.';

/** Notes about actions: why a decision was refused, or that the action has changed since it was shown. */
export function makeProblems() {
  const problems = signal<ReadonlyMap<string, string>>(new Map());
  const unseen = new Set<string>();

  function mark(id: string, problem: string | undefined): void {
    const others = [...problems.value].filter(([one]) => one !== id);
    problems.value = new Map(problem === undefined ? others : [...others, [id, problem] as const]);
  }

  return {
    problems: computed(() => problems.value),
    mark,

    /** Records that an action has changed since the person saw it. */
    hasChanged(id: string): void {
      unseen.add(id);
      if (!problems.value.has(id)) mark(id, CHANGED);
    },

    see: (id: string): void => void unseen.delete(id),

    /** Returns the actions that have changed since they were shown, and notifies the person. They now count as seen. */
    takeUnseen(ids: readonly string[]): readonly string[] {
      const changed = ids.filter((id) => unseen.delete(id));
      for (const id of changed) mark(id, CHANGED);
      return changed;
    },
  };
}
