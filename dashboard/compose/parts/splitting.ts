import { computed } from '@preact/signals';
import type { Say } from '../../lib/acting.ts';
import type { Draft } from '../draft.ts';
import { UNCOUNTED } from '../../lib/text/counting.ts';
import { fitsIn } from '../rules.ts';
import { splitText } from '../split.ts';
import type { State } from './state.ts';

type SplittingDeps = Readonly<{
  state: State;
  write(part: Partial<Draft>): void;
  say: Say;
  loadCounting(): Promise<void>;
}>;

/** Splits a text that is too long into the posts of a thread. */
export function makeSplitting({ state: { draft, targets }, write, say, loadCounting }: SplittingDeps) {
  const isThread = computed(
    () => targets.value.length > 0 && targets.value.every(({ rules }) => rules.threads.supported),
  );

  return {
    /** Whether every chosen account supports threads. */
    isThread,

    /** Splits the common text, or the text of a later post in the thread. Returns whether it did. */
    async split(at: number | undefined): Promise<boolean> {
      try {
        await loadCounting();
      } catch {
        say(UNCOUNTED, { isBad: true });
        return false;
      }
      const { text, parts } = draft.value;
      const long = at === undefined ? text : parts[at]?.text;
      if (long === undefined) return false;
      const [first = '', ...rest] = splitText(long, (part) => fitsIn(part, draft.value, targets.value));
      const more = rest.map((each) => ({ text: each, media: [] }));
      if (at === undefined) write({ text: first, parts: [...more, ...parts] });
      else write({ parts: parts.toSpliced(at, 1, { ...parts[at]!, text: first }, ...more) });
      say(`Split into ${rest.length + 1} posts.`, { undo: () => write({ text, parts }) });
      return true;
    },
  };
}
